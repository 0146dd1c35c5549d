"""Texts of newcomers are shown with a mark, until a member accepts or removes them."""

import pytest

from skerry.database.transactions import DAY
from skerry.store import accounts
from skerry.store import held_texts as store
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.web.test_held_texts import decide

pytestmark = pytest.mark.matrix("both")


@pytest.fixture(autouse=True)
def marking(world):
    with world.write() as transaction:
        accounts.set_sign_up(transaction, "open", "mark")


@pytest.fixture
def tickets(harbour):
    return f"/projects/{harbour}/tickets"


@pytest.fixture
def written(ada, ben, dora, tickets, message):
    """What Dora wrote: a ticket, two comments on one of Ben's, and one on a message of Ada's."""
    ben.post(tickets, {"ticket": {"title": "It drips"}})
    dora.post(tickets, {"ticket": {"title": "It leaks", "body": "A lot"}})
    dora.post(f"{tickets}/1/versions", {"version": {"body": "Here too"}})
    dora.put(f"{tickets}/1", {"ticket": {"body": "And there"}})
    dora.post(f"{message}/comments", {"comment": {"body": "Well"}})


def marks(client, tickets, message):
    """Return which texts are marked: of the list, of the ticket, of the message."""
    listed = [each["number"] for each in client.get(tickets).items if each.get("newcomer")]
    ticket = client.get(f"{tickets}/1").item
    versions = [each["version"] for each in ticket["versions"] if each.get("newcomer")]
    comments = client.get(message).item.get("comments") or []
    return listed, versions, [bool(each.get("newcomer")) for each in comments]


@pytest.mark.usefixtures("written")
def test_everybody_sees_them_with_a_mark(cy, ben, nobody, tickets, message, held):
    for client in (cy, ben, nobody):
        assert marks(client, tickets, message) == ([2], [2, 3], [True])
        assert [each["number"] for each in client.get(f"{tickets}?q=leaks").items] == [2]
        assert client.get(f"{tickets}/1/versions/2").item["newcomer"] is True
    waiting = ben.get(held).items
    assert [(each["kind"], each["number"], each["body"], each["shown"]) for each in waiting[:3]] == [
        ("ticket", 2, "A lot", True),
        ("comment", 1, "Here too", True),
        ("comment", 1, "And there", True),
    ]
    assert (waiting[0]["title"], waiting[3]["kind"], waiting[3]["body"]) == (
        "It leaks",
        "message_comment",
        "Well",
    )


@pytest.mark.usefixtures("written")
def test_accepting_one_text_trusts_its_author(ben, dora, tickets, message, held):
    first, second, *_ = [each["id"] for each in ben.get(held).items]
    assert decide(ben, held, True, second).item["count"] == 1
    assert marks(ben, tickets, message) == ([2], [3], [True])
    assert ben.get(f"{tickets}/1").item["versions"][1]["body"] == "Here too"
    dora.post(f"{tickets}/1/versions", {"version": {"body": "Thanks"}})
    assert marks(ben, tickets, message) == ([2], [3], [True])
    assert first in [each["id"] for each in ben.get(held).items]


@pytest.mark.usefixtures("written")
def test_removed_texts_are_gone(ben, tickets, message, held):
    ids = [each["id"] for each in ben.get(held).items]
    assert decide(ben, held, False, *ids).item["count"] == 4
    assert (ben.get(held).items, ben.get(f"{tickets}/2").status) == ([], 404)
    assert [each["body"] for each in ben.get(f"{tickets}/1").item["versions"]] == ["", "", ""]
    assert not ben.get(message).item.get("comments")


@pytest.mark.usefixtures("written")
def test_a_ticket_in_which_others_wrote_is_not_removed(ben, cy, tickets, held):
    cy.post(f"{tickets}/2/versions", {"version": {"body": "True"}})
    waiting = ben.get(held).items[0]["id"]
    assert decide(ben, held, False, waiting).item["count"] == 0
    assert ben.get(f"{tickets}/2").item["newcomer"] is True


@pytest.mark.usefixtures("written")
def test_what_its_author_edits_or_a_member_deletes_changes_in_the_queue(ben, dora, tickets, held):
    assert dora.put(f"{tickets}/1/versions/2", {"version": {"body": "Not here"}}).status == 200
    ben.delete(f"{tickets}/1/versions/3")
    ben.delete(f"{tickets}/2")
    assert [each["body"] for each in ben.get(held).items] == ["Not here", "Well"]
    assert len(dora.get(held).items) == 2


@pytest.mark.usefixtures("written")
def test_marks_stay_as_long_as_the_texts(monkeypatch, world, ben, tickets, message, held):
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + (store.KEPT_DAYS + 1) * DAY)
    with world.write() as transaction:
        store.remove_old(transaction)
    assert marks(ben, tickets, message) == ([2], [2, 3], [True])
    assert len(ben.get(held).items) == 4


def test_nobody_else_is_marked(ada, ben, cy, tickets, held):
    for client in (ada, ben, cy):
        client.post(tickets, {"ticket": {"title": "It leaks"}})
    assert [each.get("newcomer") for each in ben.get(tickets).items] == [None] * 3
    assert ben.get(held).items == []


@pytest.mark.usefixtures("written")
def test_pages_show_marks_and_accept(world, ben, harbour, tickets, message, held):
    web = WebClient(world.instance.application, world.host)
    for path in (tickets, f"{tickets}/1", f"{tickets}/2", message):
        assert "newcomer" in web.get(path).text
    web.sign_in(ben.email, PASSWORD)
    assert "4 texts from newcomers are waiting" in web.get(f"/projects/{harbour}").text
    page = web.get(held)
    assert page.text.count("everybody sees this") == 4
    ids = [each["id"] for each in ben.get(held).items]
    fields = {"text_decision[ids][]": ids, "text_decision[release]": "true"}
    assert "No texts are waiting here" in web.submit(page, f"{held}/decision", **fields).text
    assert "newcomer" not in web.get(f"{tickets}/1").text


@pytest.mark.parametrize("body", ["", " ", "\u200b"])
def test_a_comment_that_says_nothing_waits_for_nobody(dora, tickets, held, ada, body):
    number = ada.post(tickets, {"ticket": {"title": "It leaks"}}).item["number"]
    assert dora.put(f"{tickets}/{number}", {"ticket": {"body": body}}).status == 200
    assert ada.get(held).items == []
