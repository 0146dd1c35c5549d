"""Tasks are ticked by their numbers, in the texts of tickets, comments and messages."""

import pytest

from skerry.text import markdown

TASKS = "- [ ] find *it*\n- [x] buy"


@pytest.fixture
def texts(ada, roof):
    """The addresses of the text of a ticket, of a comment on it, of a message and of a comment on that."""
    at = f"/projects/{roof}"
    ticket = ada.post(f"{at}/tickets", {"ticket": {"title": "Leak", "body": TASKS}}).item["number"]
    ada.put(f"{at}/tickets/{ticket}", {"ticket": {"body": TASKS}})
    message = ada.post(f"{at}/messages", {"message": {"title": "News", "body": TASKS}}).item["id"]
    comment = ada.post(f"{at}/messages/{message}/comments", {"comment": {"body": TASKS}}).item["id"]
    versions = [f"{at}/tickets/{ticket}/versions/{number}" for number in (1, 2)]
    return [*versions, f"{at}/messages/{message}", f"{at}/messages/{comment}"]


@pytest.mark.parametrize("which", range(4))
def test_a_tick_edits_the_text_in_place(ada, ben, texts, which):
    address = texts[which]
    assert ben.put(f"{address}?tick=1", None).item["body"] == "- [x] find *it*\n- [x] buy"
    answer = ben.put(address, {"untick": 2})
    assert (answer.status, answer.item["body"]) == (200, "- [x] find *it*\n- [ ] buy")
    assert ada.get(address).item["body_html"] == markdown.render("- [x] find *it*\n- [ ] buy", 1)
    if which == 0:
        ticket = ada.get(address.partition("/versions")[0]).item
        assert (ticket["version"], ticket["body"]) == (2, "- [x] find *it*\n- [ ] buy")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("tick=3", "There is no task 3 in this text"),
        ("untick=0", "There is no task 0 in this text"),
        ("tick=one", "Tick must be the number of a task, from 1"),
        ("tick=-1", "Tick must be the number of a task, from 1"),
        ("tick=1&untick=2", "Send only one of tick, untick and body"),
    ],
)
def test_what_cannot_be_ticked_is_said_and_changes_nothing(ada, texts, sent, said):
    for address in texts:
        answer = ada.put(f"{address}?{sent}", None)
        assert (answer.status, answer.errors) == (422, [said])
        assert ada.get(address).item["body"] == TASKS


def test_a_text_is_not_replaced_and_ticked_at_once(ada, texts):
    answer = ada.put(f"{texts[0]}?tick=1", {"version": {"body": "other"}})
    assert (answer.status, ada.get(texts[0]).item["body"]) == (422, TASKS)


def test_only_those_who_may_edit_a_text_tick_its_tasks(ada, cy, harbour):
    address = f"/projects/{harbour}/tickets"
    ada.post(address, {"ticket": {"title": "Flood", "body": TASKS}})
    assert cy.put(f"{address}/1/versions/1?tick=1", None).status == 403
    assert ada.get(f"{address}/1").item["body"] == TASKS
    cy.put(f"{address}/1", {"ticket": {"body": TASKS}})
    assert cy.put(f"{address}/1/versions/2?tick=1", None).item["body"].startswith("- [x] find")


@pytest.mark.matrix("databases")
def test_a_text_that_changes_while_its_task_is_ticked_is_read_again(ada, ben, texts, monkeypatch):
    ticked = markdown.ticked

    def interrupted(text, number, *, done):
        monkeypatch.setattr(markdown, "ticked", ticked)
        ben.put(texts[0], {"version": {"body": f"- [ ] new\n{TASKS}"}})
        return ticked(text, number, done=done)

    monkeypatch.setattr(markdown, "ticked", interrupted)
    assert ada.put(f"{texts[0]}?tick=1", None).item["body"] == f"- [x] new\n{TASKS}"


@pytest.mark.matrix("databases")
def test_a_tick_is_refused_if_the_text_has_changed_since_it_was_shown(ada, ben, texts):
    tag = ada.get(texts[0]).headers["etag"]
    ben.put(texts[0], {"version": {"body": f"- [ ] new\n{TASKS}"}})
    assert ada.put(f"{texts[0]}?tick=1", None, If_Match=tag).status == 412
