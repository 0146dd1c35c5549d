"""Texts of newcomers wait, for all but their author and members, until a member releases them."""

import pytest

from skerry.tracker import held_texts
from skerry.wire import budget
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.forms import KIND, field, file, form
from tests.support.newcomers import hold, newcomer

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def tickets(harbour):
    return f"/projects/{harbour}/tickets"


@pytest.fixture
def holding(world):
    hold(world)


def decide(client, held, release, *ids):
    return client.post(f"{held}/decision", {"text_decision": {"ids": list(ids), "release": release}})


def test_texts_of_newcomers_are_shown_unless_the_account_holds_them(dora, tickets, held):
    assert dora.post(tickets, {"ticket": {"title": "It leaks"}}).status == 201
    assert dora.get(held).items == []


def test_a_newcomer_does_not_rewrite_what_everybody_sees(world, dora, ada, tickets):
    at = f"{tickets}/{dora.post(tickets, {'ticket': {'title': 'Leak', 'body': 'It leaks'}}).item['number']}"
    hold(world)
    assert dora.put(f"{at}/versions/1", {"version": {"body": "Buy"}}).status == 403
    assert ada.get(at).item["body"] == "It leaks"


@pytest.mark.usefixtures("holding")
def test_a_thousand_texts_that_wait_fit_into_a_response(dora, ben, tickets, held):
    for _ in range(3):
        dora.post(tickets, {"ticket": {"title": "&" * 255, "body": "&" * 2_000, "tag": "&" * 255}})
    page = ben.get(held)
    assert [len(each["body"]) for each in page.items] == [800] * 3
    assert len(page.body) / 3 * 1_000 < budget.MAX


@pytest.mark.usefixtures("holding")
def test_a_ticket_of_a_newcomer_waits(world, dora, cy, ben, nobody, tickets, held):
    sent = dora.post(tickets, {"ticket": {"title": "It leaks", "body": "A lot", "tag": "wet"}})
    assert (sent.status, "location" in sent.headers) == (202, False)
    item = sent.item
    assert (item["kind"], item["title"], item["body"], item["tag"]) == ("ticket", "It leaks", "A lot", "wet")
    for client in (dora, cy, ben, nobody):
        assert client.get(tickets).items == client.get(f"{tickets}?q=leaks").items == []
        assert client.get("/activity").items == []
    assert [each["id"] for each in dora.get(held).items] == [item["id"]]
    assert [each["id"] for each in ben.get(held).items] == [item["id"]]
    assert (cy.get(held).items, nobody.get(held).status) == ([], 401)
    one = f"{held}/{item['id']}"
    assert [client.get(one).status for client in (dora, ben, cy, nobody)] == [200, 200, 404, 401]
    assert world.people["ada"].get(one).item["body"] == "A lot"


@pytest.mark.usefixtures("holding")
def test_a_released_ticket_is_the_authors_and_its_others_no_longer_wait(dora, ben, tickets, held):
    sent = dora.post(tickets, {"ticket": {"title": "It leaks", "body": "A lot", "tag": "wet"}}).item
    done = decide(ben, held, True, sent["id"]).item
    assert (done["count"], str(done["ids"]), done["release"]) == (1, f"[{sent['id']}]", True)
    (ticket,) = ben.get(tickets).items
    assert (ticket["title"], ticket["creator_id"], ticket["tag"]) == ("It leaks", dora.user_id, "wet")
    assert ticket["created_at"] == sent["created_at"]
    assert ben.get(held).items == []
    assert dora.post(tickets, {"ticket": {"title": "Again"}}).status == 201


@pytest.mark.usefixtures("holding")
def test_comments_wait_and_are_released_in_order(ada, ben, dora, harbour, tickets, held):
    at = f"{tickets}/{ada.post(tickets, {'ticket': {'title': 'Dry'}}).item['number']}"
    message = ada.post(f"/projects/{harbour}/messages", {"message": {"title": "News", "body": "None"}}).item
    on_message = f"/projects/{harbour}/messages/{message['id']}/comments"
    sent = [
        dora.post(f"{at}/versions", {"version": {"body": "First"}}),
        dora.put(at, {"ticket": {"body": "Second"}}),
        dora.post(on_message, {"comment": {"body": "Third"}}),
    ]
    assert [(each.status, each.item["kind"]) for each in sent] == [
        (202, "comment"),
        (202, "comment"),
        (202, "message_comment"),
    ]
    assert ada.get(f"{at}/versions").items[1:] == ada.get(on_message).items == []
    assert decide(ben, held, True, *(each.item["id"] for each in sent)).item["count"] == 3
    versions = ada.get(f"{at}/versions").items[1:]
    assert [(each["body"], each["user_id"]) for each in versions] == [
        ("First", dora.user_id),
        ("Second", dora.user_id),
    ]
    (comment,) = ada.get(on_message).items
    assert (comment["body"], comment["user_id"]) == ("Third", dora.user_id)


@pytest.mark.usefixtures("holding")
def test_removed_texts_are_gone_and_their_author_stays_new(ben, dora, tickets, held):
    sent = dora.post(tickets, {"ticket": {"title": "Cheap tiles"}}).item
    assert decide(ben, held, False, sent["id"]).item["count"] == 1
    assert (ben.get(held).items, ben.get(tickets).items) == ([], [])
    assert dora.post(tickets, {"ticket": {"title": "Cheap tiles"}}).status == 202


@pytest.mark.usefixtures("holding")
def test_only_members_decide(cy, dora, ben, nobody, tickets, held, roof):
    sent = dora.post(tickets, {"ticket": {"title": "It leaks"}}).item
    answers = [decide(client, held, True, sent["id"]).status for client in (cy, dora, nobody)]
    assert answers == [403, 403, 401]
    # Of another project, and twice.
    assert decide(ben, f"/projects/{roof}/held-texts", True, sent["id"]).item["count"] == 0
    assert decide(ben, held, True, sent["id"], sent["id"]).item["count"] == 1
    assert decide(ben, held, True, sent["id"]).item["count"] == 0
    assert decide(ben, held, True).status == 422


@pytest.mark.usefixtures("holding")
def test_a_comment_on_what_is_gone_still_waits(ada, ben, dora, tickets, held):
    at = f"{tickets}/{ada.post(tickets, {'ticket': {'title': 'Dry'}}).item['number']}"
    sent = dora.post(f"{at}/versions", {"version": {"body": "First"}}).item
    ada.delete(at)
    assert decide(ben, held, True, sent["id"]).item["count"] == 0
    assert [each["id"] for each in ben.get(held).items] == [sent["id"]]
    assert decide(ben, held, False, sent["id"]).item["count"] == 1


@pytest.mark.usefixtures("holding")
def test_a_comment_on_what_its_author_no_longer_sees_still_waits(ada, ben, dora, harbour, tickets, held):
    at = f"{tickets}/{ada.post(tickets, {'ticket': {'title': 'Dry'}}).item['number']}"
    first = dora.post(f"{at}/versions", {"version": {"body": "First"}}).item["id"]
    ben.put(at, {"ticket": {"private": True}})
    assert decide(ben, held, True, first).item["count"] == 0
    ben.put(at, {"ticket": {"private": False}})
    ada.put(f"/projects/{harbour}", {"project": {"name": "Harbour", "public": False}})
    assert decide(ben, held, True, first).item["count"] == 0
    assert [each["body"] for each in ben.get(held).items] == ["First"]
    assert "First" not in [each["body"] for each in ben.get(at).item["versions"]]
    ada.put(f"/projects/{harbour}", {"project": {"name": "Harbour", "public": True}})
    assert decide(ben, held, True, first).item["count"] == 1


@pytest.mark.usefixtures("holding")
def test_a_newcomer_is_told_at_once_what_is_wrong(ada, dora, tickets):
    at = f"{tickets}/{ada.post(tickets, {'ticket': {'title': 'Dry'}}).item['number']}"
    assert dora.post(tickets, {"ticket": {"title": ""}}).status == 422
    assert dora.post(tickets, {"ticket": {"title": "It leaks", "state": "resolved"}}).status == 403
    assert dora.post(f"{at}/versions", {"version": {"body": " "}}).status == 422
    assert dora.put(at, {"ticket": {"body": "So", "title": "Mine"}}).status == 403
    assert dora.post(f"{tickets}/99/versions", {"version": {"body": "x"}}).status == 404
    raw = form(field("ticket[title]", "It leaks"), file(b"x", "x.txt"))
    assert dora.send("POST", tickets, raw=raw, kind=KIND).errors == [held_texts.NO_FILES]


@pytest.mark.usefixtures("holding")
def test_too_many_texts_of_one_newcomer_do_not_wait(monkeypatch, dora, tickets):
    monkeypatch.setattr(held_texts, "MOST", 2)
    statuses = [dora.post(tickets, {"ticket": {"title": "It leaks"}}).status for _ in range(3)]
    assert statuses == [202, 202, 429]


@pytest.mark.usefixtures("holding")
def test_others_do_not_wait(world, ada, ben, cy, harbour, tickets):
    eve = newcomer(world, "eve")
    world.join(harbour, eve)
    statuses = [each.post(tickets, {"ticket": {"title": "It leaks"}}).status for each in (ada, ben, cy, eve)]
    assert statuses == [201, 201, 201, 201]


@pytest.mark.usefixtures("holding")
def test_the_pages_say_that_a_text_waits_and_release_it(world, ben, dora, harbour, tickets, held):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(dora.email, PASSWORD)
    fields = {"ticket[title]": "It <b>leaks</b>", "ticket[body]": "A lot"}
    page = web.submit(web.get(f"{tickets}/new"), tickets, **fields)
    assert (page.path, "text is waiting" in page.text, "A lot" in page.text) == (f"{held}?sent", True, True)
    member = WebClient(world.instance.application, world.host)
    member.sign_in(ben.email, PASSWORD)
    assert "1 text from a newcomer is waiting" in member.get(f"/projects/{harbour}").text
    page = member.get(held)
    assert "<b>leaks" not in page.source
    done = member.submit(page, f"{held}/decision", **{"text_decision[release]": "true"})
    assert (done.status, "No texts are waiting here" in done.text) == (200, True)
    assert [each["title"] for each in ben.get(tickets).items] == ["It <b>leaks</b>"]


def test_administrators_choose_what_happens_to_texts_of_newcomers(world, ada):
    in_person = world.client(**basic(ada.email, PASSWORD))
    assert in_person.get("/account").item["newcomers"] == "show"
    assert in_person.put("/account", {"account": {"newcomers": "hold"}}).item["newcomers"] == "hold"
    wrong = in_person.put("/account", {"account": {"newcomers": "burn"}})
    assert (wrong.status, wrong.errors) == (422, ["Newcomers must be one of show, mark, hold"])


@pytest.mark.usefixtures("holding")
def test_a_private_ticket_that_waits_is_released_as_a_private_one(dora, cy, ben, tickets, held):
    assert dora.post(tickets, {"ticket": {"title": "It leaks", "private": True}}).item["private"] is True
    assert decide(ben, held, True, 1).item["count"] == 1
    assert [each["private"] for each in dora.get(tickets).items] == [True]
    assert cy.get(tickets).items == []
