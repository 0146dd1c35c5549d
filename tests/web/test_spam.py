"""Spammers are removed with everything that they wrote; for seven days, everything can be put back."""

import json

import pytest
from sqlalchemy import text

from skerry.database.statements import Statement
from skerry.database.transactions import DAY
from skerry.store import accounts, attachments
from skerry.store.auth import account_logins
from skerry.store.people import avatars
from skerry.store.spam import spam as store
from skerry.tracker.spam import spam_batches
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import Upload
from tests.support.forms import KIND, field, file, form
from tests.support.mail_server import Only
from tests.support.resources import PICTURE
from tests.web.test_held_texts import newcomer

pytestmark = pytest.mark.matrix("both")


@pytest.fixture
def look(ben, harbour, written):
    """Return what Ben sees of the project."""
    return lambda: without_moments(seen(ben, harbour, written))


class Lease(Only):
    """The lease of one account, where sending may be paused."""

    @property
    def leased(self):
        return self.accounts


@pytest.fixture
def work(world):
    """Do what the background does."""
    return lambda: spam_batches.send(world.database, Lease(world.account_id))


@pytest.fixture
def tickets(harbour):
    return f"/projects/{harbour}/tickets"


@pytest.fixture
def spammer(world):
    return newcomer(world, "dora")


@pytest.fixture
def written(ada, ben, cy, spammer, harbour, tickets):
    """Let the spammer write in tickets of their own and of others, and on a message."""
    spammer.post(tickets, {"ticket": {"title": "Cheap tiles", "body": "Buy tiles", "tag": "cheap"}})
    raw = form(field("ticket[title]", "Cheap bricks"), file(b"Buy", "bricks.txt"))
    assert spammer.send("POST", tickets, raw=raw, kind=KIND).status == 201
    spammer.post(f"{tickets}/2/versions", {"version": {"body": "Buy bricks"}})
    spammer.post(tickets, {"ticket": {"title": "Cheap glass", "body": "Buy glass"}})
    ben.post(f"{tickets}/3/versions", {"version": {"body": "No"}})
    ben.post(tickets, {"ticket": {"title": "It leaks", "body": "A lot", "tag": "wet"}})
    raw = form(field("ticket[body]", "Buy tiles here"), file(b"Buy", "tiles.txt"))
    assert spammer.send("PUT", f"{tickets}/4", raw=raw, kind=KIND).status == 200
    cy.post(f"{tickets}/4/versions", {"version": {"body": "Here too"}})
    message = ada.post(f"/projects/{harbour}/messages", {"message": {"title": "News", "body": "None"}}).item
    spammer.post(f"/projects/{harbour}/messages/{message['id']}/comments", {"comment": {"body": "Buy"}})
    return f"/projects/{harbour}/messages/{message['id']}"


REPLACE = Statement(
    text(
        "UPDATE removed_things SET content = replace(content, :old, :new) "
        "WHERE account_id = :account_id AND user_id = :of_user"
    )
)

LOCAL = Statement(text("UPDATE logins SET account_id = :account_id WHERE user_id = :user_id"))


def avatar_of(world, person):
    with world.write() as transaction:
        return avatars.paths(transaction, [person.user_id]).get(person.user_id)


def remove(client, user_id):
    return client.put(f"/spam-removals/{user_id}")


def seen(client, harbour, message):
    """Return what a reader sees of a project, without moments and versions of the list."""
    tickets = f"/projects/{harbour}/tickets"
    whole = [client.get(f"{tickets}/{number}") for number in range(1, 5)]
    return {
        "project": client.get(f"/projects/{harbour}").item,
        "tickets": [each.item for each in whole if each.status == 200],
        "found": [each["number"] for each in client.get(f"{tickets}?q=buy sort:number").items],
        "tagged": client.get(f"{tickets}?q=tagged:cheap").items,
        "tags": client.get(f"/projects/{harbour}/tags").items,
        "message": client.get(message).item,
        "listed": [each["number"] for each in client.get(tickets).items],
    }


def without_moments(shown):
    """Return what is shown as text, without when something was last changed."""
    shown = json.loads(json.dumps(shown, default=str))
    for ticket in shown["tickets"]:
        for version in ticket["versions"]:
            version.pop("updated_at")
    return shown


def test_everything_of_a_spammer_goes(ben, spammer, in_person, written, tickets, work):
    assert remove(in_person, spammer.user_id).item["state"] == "removing"
    assert spammer.get("/profile").status == 401
    work()
    (removal,) = in_person.get("/spam-removals").items
    assert (removal["state"], removal["user_name"], removal["creator_name"]) == ("removed", "Dora", "Ada")
    assert removal["count"] == 5
    assert [ben.get(f"{tickets}/{number}").status for number in (1, 2)] == [404, 404]
    assert ben.get(f"{tickets}?q=buy").items == ben.get(f"{tickets}?q=tagged:cheap").items == []
    assert not ben.get(written).item.get("comments")
    glass, leak = ben.get(f"{tickets}/3").item, ben.get(f"{tickets}/4").item
    assert [version["body"] for version in glass["versions"]] == ["", "No"]
    assert [version["body"] for version in leak["versions"]] == ["A lot", "", "Here too"]
    assert (glass["body"], glass["original_body"], leak.get("attachments", [])) == ("", "", [])
    assert ben.get(f"/projects/{glass['project_id']}").item["open_tickets_count"] == 2
    assert b"Buy" not in ben.get("/activity").body


def test_an_undo_puts_everything_back(ben, spammer, in_person, look, tickets, work):
    ben.post(tickets, {"ticket": {"title": "We buy nothing"}})
    before, found = look(), ben.get(f"{tickets}?q=buy").body
    remove(in_person, spammer.user_id)
    work()
    assert in_person.post(f"/spam-removals/{spammer.user_id}/undo").item["state"] == "restoring"
    work()
    assert in_person.get("/spam-removals").items == []
    assert (look(), ben.get(f"{tickets}?q=buy").body) == (before, found)
    assert spammer.post(f"{tickets}/1/versions", {"version": {"body": "Sorry"}}).status == 201
    attachment = ben.get(f"{tickets}/2").item["attachments"][0]
    attachment = attachment.get("attachment", attachment)
    assert ben.get(f"/attachments/{attachment['id']}/bricks.txt").body == b"Buy"


def test_an_undo_in_between_puts_back_what_is_gone(monkeypatch, world, spammer, in_person, look, work):
    monkeypatch.setattr(spam_batches, "AT_ONCE", 1)
    before = look()
    remove(in_person, spammer.user_id)
    with world.write() as transaction:
        removal = store.one(transaction, spammer.user_id)
        assert spam_batches._remove(transaction, removal)
    assert look() != before
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert look() == before


def test_an_undo_copes_with_what_others_did_meanwhile(ada, ben, spammer, in_person, harbour, tickets, work):
    place = f"/projects/{harbour}"
    milestone = ada.post(f"{place}/milestones", {"milestone": {"title": "Spring"}}).item["id"]
    ada.put(f"{place}/settings", {"settings": {"default_milestone_id": milestone}})
    hull = ada.post("/projects", {"project": {"name": "Hull"}}).item["id"]
    message = ada.post(f"{place}/messages", {"message": {"title": "News", "body": "None"}}).item["id"]
    assert spammer.post(tickets, {"ticket": {"title": "Cheap tiles"}}).item["milestone_id"] == milestone
    for number in (2, 3):
        ben.post(tickets, {"ticket": {"title": "It leaks"}})
        spammer.post(f"{tickets}/{number}/versions", {"version": {"body": "Buy"}})
    comment = spammer.post(f"{place}/messages/{message}/comments", {"comment": {"body": "Buy"}}).item["id"]
    remove(in_person, spammer.user_id)
    work()
    for gone in (f"{place}/milestones/{milestone}", f"{place}/messages/{message}", f"{tickets}/2"):
        assert ada.delete(gone).status < 300
    ada.post(f"{place}/bulk_edit", {"bulk_edit": {"query": "leaks", "command": f"project:{hull}"}})
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert in_person.get("/spam-removals").items == []
    assert ben.get(f"{tickets}/1").item["milestone_id"] is None
    assert ben.get(f"{place}/messages/{comment}").status == 404
    moved = in_person.get(f"/projects/{hull}/tickets/1").item
    assert [version["body"] for version in moved["versions"]][:2] == ["", "Buy"]


@pytest.mark.usefixtures("written")
def test_after_seven_days_it_is_deleted(monkeypatch, world, spammer, in_person, work):
    remove(in_person, spammer.user_id)
    work()
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 7 * DAY)
    refused = in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    assert (refused.status, "no longer" in refused.errors[0]) == (409, True)
    work()
    with world.write() as transaction:
        assert store.one(transaction, spammer.user_id) is None
        assert store.things(transaction, spammer.user_id, 10) == []
        assert store.release_files(transaction, spammer.user_id, 10) == 0
    assert in_person.post(f"/spam-removals/{spammer.user_id}/undo").status == 404
    assert spammer.get("/profile").status == 401


def test_after_seven_days_no_event_says_what_was_written(
    monkeypatch, world, spammer, in_person, tickets, work
):
    with world.write() as transaction:
        transaction.run(LOCAL, user_id=spammer.user_id)
    spammer.put("/profile", {"user": {"name": "Cheap Tiles", "website": "https://tiles.example"}})
    spammer.post(tickets, {"ticket": {"title": "Cheap glass"}})
    remove(in_person, spammer.user_id)
    work()
    said = in_person.get("/events").body
    assert (b"https://tiles.example" in said, b"Cheap glass" in said) == (True, True)
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + 7 * DAY)
    work()
    said = in_person.get("/events").body
    assert [word for word in (b"tiles.example", b"Cheap Tiles", b"Cheap glass") if word in said] == []


def test_a_profile_that_other_accounts_show_stays(ben, spammer, in_person, tickets, work):
    spammer.put("/profile", {"user": {"name": "Cheap Tiles"}})
    spammer.post(tickets, {"ticket": {"title": "Cheap glass"}})
    ben.post(f"{tickets}/1/versions", {"version": {"body": "No"}})
    remove(in_person, spammer.user_id)
    work()
    assert ben.get(f"{tickets}/1").item["creator_name"] == "Cheap Tiles"


@pytest.mark.usefixtures("written")
def test_files_are_kept_while_they_can_be_put_back(world, spammer, in_person, work):
    remove(in_person, spammer.user_id)
    work()
    with world.write() as transaction:
        things = store.things(transaction, spammer.user_id, 10)
        codes = {row["code"] for thing in things for row in thing.rows.get("attachments", ())}
        assert len(codes) == 2
        assert store.known(transaction, codes) == codes
        assert attachments.known(transaction, codes) == set()


@pytest.mark.usefixtures("written")
def test_only_guests_are_removed_as_spammers(world, ada, ben, cy, in_person):
    assert [remove(client, cy.user_id).status for client in (ben, cy, world.client())] == [403, 403, 401]
    assert remove(in_person, ben.user_id).status == remove(in_person, ada.user_id).status == 409
    assert remove(in_person, 987654).status == 404
    assert in_person.post(f"/spam-removals/{cy.user_id}/undo").status == 404


@pytest.mark.usefixtures("written")
def test_a_login_that_was_disabled_before_stays_so(spammer, in_person, work):
    in_person.put(f"/people/{spammer.user_id}", {"person": {"disabled": True}})
    remove(in_person, spammer.user_id)
    work()
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert spammer.get("/profile").status == 401


def test_rows_from_before_a_column_was_added_come_back(world, spammer, in_person, look, tickets, work):
    before = look()
    remove(in_person, spammer.user_id)
    work()
    with world.write() as transaction:
        changed = {"old": '"private": 0, ', "new": "", "of_user": spammer.user_id}
        transaction.run(REPLACE, **changed)
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert (look(), in_person.get(f"{tickets}/1").item["private"]) == (before, False)


@pytest.mark.usefixtures("written")
def test_a_login_that_somebody_disables_meanwhile_stays_so(spammer, in_person, work):
    remove(in_person, spammer.user_id)
    work()
    in_person.put(f"/people/{spammer.user_id}", {"person": {"disabled": True}})
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert spammer.get("/profile").status == 401


@pytest.mark.usefixtures("written")
def test_a_login_that_is_disabled_on_the_server_meanwhile_stays_so(world, spammer, in_person, work):
    remove(in_person, spammer.user_id)
    work()
    with world.write() as transaction:
        account_logins.disable_everywhere(transaction, spammer.user_id)
    assert in_person.post(f"/spam-removals/{spammer.user_id}/undo").item["state"] == "restoring"
    work()
    assert spammer.get("/profile").status == 401


@pytest.mark.usefixtures("written")
def test_a_login_that_was_removed_twice_is_enabled_by_the_last_undo(spammer, in_person, work):
    for _ in range(2):
        remove(in_person, spammer.user_id)
        work()
        in_person.post(f"/spam-removals/{spammer.user_id}/undo")
        remove(in_person, spammer.user_id)
        assert spammer.get("/profile").status == 401
        in_person.post(f"/spam-removals/{spammer.user_id}/undo")
        work()
        assert spammer.get("/profile").status == 200


def test_a_title_goes_also_where_others_wrote_and_comes_back(world, nobody, spammer, look, in_person, work):
    before = look()
    (tickets,) = {f"/projects/{each['project_id']}/tickets" for each in before["tickets"]}
    remove(in_person, spammer.user_id)
    work()
    ticket = nobody.get(f"{tickets}/3").item
    assert (ticket["title"], ticket["permalink"]) == ("Title removed", "title-removed")
    web = WebClient(world.instance.application, world.host)
    for path in (f"{tickets}/3", tickets, "/activity"):
        assert b"glass" not in nobody.get(path).body + web.get(path).source.encode()
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert look() == before


@pytest.mark.usefixtures("written")
def test_a_title_that_somebody_else_chose_stays(ben, spammer, in_person, tickets, work):
    ben.put(f"{tickets}/3", {"ticket": {"title": "Glass"}})
    remove(in_person, spammer.user_id)
    work()
    assert ben.get(f"{tickets}/3").item["title"] == "Glass"
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    ticket = ben.get(f"{tickets}/3").item
    assert (ticket["title"], ticket["permalink"]) == ("Glass", "cheap-glass")
    assert [each["title"] for each in ticket["versions"]] == ["Cheap glass", "Cheap glass", "Glass"]


def test_waiting_texts_and_the_picture_go_and_come_back(world, ben, in_person, harbour, tickets, work):
    spammer = newcomer(world, "dora")
    with world.write() as transaction:
        accounts.set_sign_up(transaction, "open", "hold")
        # As of whoever really signs up, the login is valid in this account alone.
        transaction.run(LOCAL, user_id=spammer.user_id)
    spammer.post(tickets, {"ticket": {"title": "Cheap tiles"}})
    picture = spammer.put("/profile/avatar", Upload("avatar", PICTURE))
    assert picture.status == 200
    avatar = avatar_of(world, spammer)
    held = f"/projects/{harbour}/held-texts"
    before = ben.get(held).items
    remove(in_person, spammer.user_id)
    work()
    assert (len(before), ben.get(held).items) == (1, [])
    assert avatar_of(world, spammer) is None
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert ben.get(held).items == before
    assert avatar_of(world, spammer) == avatar
    assert ben.get(avatar).body == PICTURE


def test_the_profile_and_what_is_watched_go_and_come_back(
    world, ben, spammer, in_person, written, tickets, work
):
    with world.write() as transaction:
        transaction.run(LOCAL, user_id=spammer.user_id)
    told = {"name": "Cheap Tiles", "job": "Sells tiles", "website": "https://tiles.example"}
    assert spammer.put("/profile", {"user": told}).status == 200
    profile, leak = f"/users/{spammer.user_id}", f"{tickets}/4"
    before, watchers = ben.get(profile).item, ben.get(leak).item["watchers_ids"]
    remove(in_person, spammer.user_id)
    work()
    assert (spammer.user_id in watchers, spammer.user_id in ben.get(leak).item["watchers_ids"]) == (
        True,
        False,
    )
    for path in (profile, leak, tickets, written, "/activity"):
        assert b"Cheap Tiles" not in ben.get(path).body
    assert [ben.get(profile).item[name] for name in told] == ["Removed", "", ""]
    (removal,) = in_person.get("/spam-removals").items
    assert (removal["user_name"], removal["count"]) == ("Cheap Tiles", 5)
    in_person.post(f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert (ben.get(profile).item, ben.get(leak).item["watchers_ids"]) == (before, watchers)


@pytest.mark.usefixtures("written")
def test_the_pages_remove_a_spammer_and_undo_it(world, ada, ben, spammer, tickets, work):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    page = web.submit(web.get(f"/users/{spammer.user_id}"), f"/spam-removals/{spammer.user_id}", "put")
    assert (page.path, "being removed" in page.text) == ("/spam-removals?saved", True)
    work()
    assert "1 removed spammer" in web.get("/administration").text
    page = web.get("/spam-removals")
    page = web.submit(page, f"/spam-removals/{spammer.user_id}/undo")
    work()
    assert "No spammers were removed" in web.get("/spam-removals").text
    assert ben.get(f"{tickets}/1").status == 200
