"""Texts are rendered before locks are taken, so that large ones block no writers."""

import pytest

from skerry.text import markdown

TICKET = {"ticket": {"title": "Leak"}}
TEXT = f"At the *gable*: {'drip ' * 10_000}"


@pytest.fixture
def rendered_slowly(monkeypatch, written):
    """Somebody writes whenever a text is rendered that names a *gable*."""
    _, write = written
    render = markdown.render

    def render_slowly(text, *rest):
        if "*gable*" in text:
            write()
        return render(text, *rest)

    monkeypatch.setattr(markdown, "render", render_slowly)


@pytest.mark.usefixtures("rendered_slowly")
@pytest.mark.parametrize("end", ["", "after [f00d1]", "with [state:nope]"])
def test_others_write_while_a_large_text_is_rendered(ada, roof, written, end):
    statuses, _ = written
    ada.post(f"/projects/{roof}/changesets", {"changeset": {"revision": "f00d1"}})
    ticket = {"title": "Leak", "body": f"At the *gable* {end}: {'drip ' * 10_000}"}
    made = ada.post(f"/projects/{roof}/tickets", {"ticket": ticket})
    assert (made.status, statuses) == (201, [201])
    assert ('/changesets/f00d1"' in made.item["body_html"]) is ("f00d1" in end)


@pytest.mark.usefixtures("rendered_slowly")
@pytest.mark.parametrize(
    ("path", "field", "other"),
    [
        ("messages/{}", {"message": {"body": TEXT}}, {"message": {"title": "Other"}}),
        ("milestones/{}", {"milestone": {"goals": TEXT}}, {"milestone": {"title": "Other"}}),
        ("settings", {"settings": {"description": TEXT}}, {"settings": {"name": "Other"}}),
        ("tickets/{}/versions/1", {"version": {"body": TEXT}}, {"version": {}}),
    ],
)
def test_others_write_while_a_text_is_changed_and_what_is_kept_is_not_rendered(
    ada, roof, written, path, field, other
):
    statuses, _ = written
    address, made = f"/projects/{roof}/{path}", []
    if "/" in path:
        name = path.partition("/")[0]
        made = [ada.post(f"/projects/{roof}/{name}", {name[:-1]: {"title": "Leak"}}).item]
        address = address.format(made[0].get("number") or made[0]["id"])
    assert ada.put(address, field).status == 200
    assert statuses == [201]
    assert ada.put(address, other).status == 200
    assert statuses == [201]
    shown = ada.get(address if made else f"/projects/{roof}").item
    (html,) = [value for key, value in shown.items() if key.endswith("_html")]
    assert "<em>gable</em>" in html


@pytest.mark.matrix("databases")
@pytest.mark.usefixtures("rendered_slowly")
def test_others_write_while_a_comment_on_a_message_is_rendered(ada, roof, written):
    statuses, _ = written
    message = ada.post(f"/projects/{roof}/messages", {"message": {"title": "Leak"}}).item["id"]
    assert (
        ada.post(f"/projects/{roof}/messages/{message}/comments", {"comment": {"body": TEXT}}).status == 201
    )
    assert statuses == [201]


@pytest.mark.matrix("databases")
@pytest.mark.usefixtures("rendered_slowly")
def test_others_write_while_what_a_commit_says_in_tickets_is_rendered(ada, roof, written):
    statuses, _ = written
    ada.post(f"/projects/{roof}/tickets", TICKET)
    commit = {"revision": "f00d1", "body": f"At the *gable* [#1 state:resolved] {'drip ' * 10_000}"}
    made = ada.post(f"/projects/{roof}/changesets", {"changeset": commit})
    assert (made.status, statuses) == (201, [201, 201])
    said = ada.get(f"/projects/{roof}/tickets/1").item["versions"][-1]
    assert (said["state"], '/changesets/f00d1"' in said["body_html"]) == ("resolved", True)


@pytest.mark.usefixtures("rendered_slowly")
def test_others_write_while_a_text_is_only_shown(ada, roof, written):
    statuses, _ = written
    answer = ada.post(f"/projects/{roof}/preview", {"preview": {"body": "The *gable*"}})
    assert (answer.status, set(statuses)) == (200, {201})
