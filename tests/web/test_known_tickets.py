"""Cached tickets in lists equal those read from the database."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import pytest
from sqlalchemy import text

from skerry.database.statements import Statement
from skerry.store import tickets
from skerry.store.ticket_rows import ticket_lists
from tests.support import postgres
from tests.support.forms import KIND, field, file, form
from tests.support.route_matrix import MEMBER, ONCE, REMOVALS_LAST, Account, name_of, without_aliases


def lists(client, project_id, text):
    """What lists of tickets show and the tag of that, by their addresses."""
    own = f"/projects/{project_id}/tickets"
    return shown(client, own, "/tickets", f"{own}?q={text}", "/tickets?q=sort:title")


def whole(client):
    """What each ticket that is seen shows with its versions, as ``lists`` gives it."""
    seen = [(each["project_id"], each["number"]) for each in client.get("/tickets").items]
    return shown(client, *("/projects/{}/tickets/{}".format(*place) for place in seen))


def shown(client, *paths):
    """What is shown at addresses, and the tag of that: the formats are made of the same records."""
    answers = {path: client.get(path) for path in paths}
    return {path: (answer.body, answer.headers.get("etag")) for path, answer in answers.items()}


def check(instance, client, project_id, text):
    """Assert that what is shown is what is shown when all tickets are read again."""
    found = lists(client, project_id, text)
    alone = whole(client)
    instance.database.known_tickets.clear()
    assert lists(client, project_id, text) == found
    assert whole(client) == alone
    return found


def assert_differs(before, after):
    """Assert that everywhere something else is shown, under another tag."""
    for path, (body, tag) in after.items():
        assert before[path][0] != body
        assert before[path][1] != tag


def test_after_every_kind_of_write_all_tickets_are_true(world):
    site = Account(world, "slate").sites["public"]
    instance = world.instance
    changed, before = 0, check(instance, site.clients[MEMBER], site.values["projects"], site.text)
    for line in without_aliases(REMOVALS_LAST):
        (site.fresh(line) if name_of(line) in ONCE else site).send(MEMBER, line)
        found = check(instance, site.clients[MEMBER], site.values["projects"], site.text)
        changed += found != before
        before = found
    assert changed > 5


@pytest.fixture
def ticket(ada, roof):
    """A ticket with a milestone, a file and a comment, whose address this is."""
    goal = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Spring"}}).item["id"]
    draft = {"title": "Leak", "body": "Drip", "milestone_id": goal, "assigned_user_id": ada.user_id}
    made = ada.post(f"/projects/{roof}/tickets", {"ticket": draft})
    return f"/projects/{roof}/tickets/{made.item['number']}"


def project_of(ticket):
    return ticket.partition("/tickets")[0]


def rewritten(ada, ticket):
    return [ada.put(f"{ticket}/versions/1", {"version": {"body": text}}) for text in ("Once", "Twice")][1]


def milestone_renamed(ada, ticket):
    milestone = ada.get(ticket).item["milestone_id"]
    return ada.put(f"{project_of(ticket)}/milestones/{milestone}", {"milestone": {"title": "Fall"}})


def milestone_removed(ada, ticket):
    return ada.delete(f"{project_of(ticket)}/milestones/{ada.get(ticket).item['milestone_id']}")


def assignee_renamed(ada, _):
    return ada.put("/profile", {"user": {"name": "Augusta"}})


def state_closed(ada, ticket):
    states = {"open_states": "open/0f0", "closed_states": "new/f00"}
    return ada.put(f"{project_of(ticket)}/settings", {"settings": states})


def commented(ada, ticket):
    return ada.put(ticket, {"ticket": {"body": "Still drips"}})


def edited_with_others(ada, ticket):
    edit = {"query": "Leak", "command": "importance:5 tagged:wet"}
    return ada.post(f"{project_of(ticket)}/bulk_edit", {"bulk_edit": edit})


CHANGES = (
    *(rewritten, commented, assignee_renamed, edited_with_others),
    *(state_closed, milestone_renamed, milestone_removed),
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_list_shows_what_was_changed(world, ada, roof, ticket, change):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak above it"}})
    before = lists(ada, roof, "Leak")
    answer = change(ada, ticket)
    assert answer.status in (200, 201), answer.body
    assert_differs(before, check(world.instance, ada, roof, "Leak"))


# What is known is kept by the program; from the database come only numbers of revisions.
@pytest.mark.matrix("postgres")
def test_on_postgresql_a_list_shows_each_change(world, ada, roof, ticket):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak above it"}})
    before = lists(ada, roof, "Leak")
    for change in CHANGES:
        assert change(ada, ticket).status in (200, 201)
        after = check(world.instance, ada, roof, "Leak")
        assert_differs(before, after)
        before = after


def comment_rewritten(ada, ticket):
    return ada.put(f"{ticket}/versions/2", {"version": {"body": "Dripped"}})


def comment_removed(ada, ticket):
    return ada.delete(f"{ticket}/versions/3")


def earlier_milestone_renamed(ada, ticket):
    milestone = ada.get(ticket).item["versions"][0]["milestone_id"]
    return ada.put(f"{project_of(ticket)}/milestones/{milestone}", {"milestone": {"title": "Fall"}})


def earlier_milestone_removed(ada, ticket):
    return ada.delete(
        f"{project_of(ticket)}/milestones/{ada.get(ticket).item['versions'][0]['milestone_id']}"
    )


def earlier_state_closed(ada, ticket):
    states = {"open_states": "open/0f0", "closed_states": "new/f00\nresolved/f00"}
    return ada.put(f"{project_of(ticket)}/settings", {"settings": states})


@pytest.mark.parametrize(
    "change",
    [
        *(comment_rewritten, comment_removed, assignee_renamed),
        *(earlier_milestone_renamed, earlier_milestone_removed, earlier_state_closed),
    ],
)
def test_a_ticket_shows_what_was_changed_in_its_past(world, ada, roof, ticket, change):
    now = {"state": "resolved", "milestone_id": None, "assigned_user_id": None}
    ada.put(ticket, {"ticket": {"body": "Drips", **now}})
    ada.put(ticket, raw=form(field("ticket[body]", "Still drips"), file(b"Drip")), kind=KIND)
    before = whole(ada)
    answer = change(ada, ticket)
    assert answer.status == 200, answer.body
    check(world.instance, ada, roof, "Leak")
    assert_differs(before, whole(ada))


def test_new_states_are_shown_whatever_the_clock_says(world, ada, ticket, monkeypatch):
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now)
    ada.put(ticket, {"ticket": {"state": "resolved"}})
    states = {"open_states": "open/0f0\nnew/f00", "closed_states": "resolved/f00"}
    ada.put(f"{project_of(ticket)}/settings", {"settings": states})
    assert not ada.get(ticket).item["versions"][0]["closed"]
    earlier_state_closed(ada, ticket)
    ada.put(project_of(ticket), {"project": {"name": "Roof"}})
    assert ada.get(ticket).item["versions"][0]["closed"]


@pytest.mark.matrix("databases")
def test_rolled_back_values_are_never_shown(world, ada, roof, ticket):
    check(world.instance, ada, roof, "Leak")
    with suppress(KeyError), world.write() as transaction:
        transaction.base = f"http://{world.host}"
        (leak,) = ticket_lists.of_project(transaction, roof, limit=1, offset=0)
        tickets.edit(transaction, leak, "Undone", "Undone", editor_id=ada.user_id)
        assert [each.body for each in ticket_lists.of_project(transaction, roof, limit=1, offset=0)] == [
            "Undone"
        ]
        raise KeyError
    ada.put(f"{ticket}/versions/1", {"version": {"body": "Kept"}})
    assert all(b"Kept" in body for body, _ in check(world.instance, ada, roof, "Leak").values())


@pytest.mark.matrix("databases")
def test_a_list_is_read_while_its_tickets_change(ada, roof, ticket):
    stop = Event()

    def change():
        for number in range(30):
            ada.put(f"{ticket}/versions/1", {"version": {"body": f"Text {number:02}"}})
        stop.set()

    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change)
        seen = []
        while not stop.is_set():
            seen += [each["body"] for each in ada.get(f"/projects/{roof}/tickets").items]
        changing.result()
    assert seen == sorted(seen, key=lambda text: text.replace("Drip", ""))
    assert ada.get(f"/projects/{roof}/tickets").items[0]["body"] == "Text 29"


def test_long_texts_are_shown_and_not_kept(world, ada, roof, ticket):
    long = "Drip " * ticket_lists.MAX_LENGTH
    ada.put(f"{ticket}/versions/1", {"version": {"body": long}})
    world.database.known_tickets.clear()
    assert [each["body"] for each in ada.get(f"/projects/{roof}/tickets").items] == [long]
    assert not world.database.known_tickets


def test_tags_count_towards_the_size_of_the_cache(world, ada, roof, ticket):
    tags = " ".join(f"{number:02}{'x' * 98}" for number in range(90))
    ada.put(ticket, {"ticket": {"tag": tags}})
    world.database.known_tickets.clear()
    assert [each["tag"] for each in ada.get(f"/projects/{roof}/tickets").items] == [tags]
    assert world.database.known_tickets.weight > len(tags) + ticket_lists.MIN_LENGTH


def test_watchers_count_towards_the_size_of_the_cache(world, ada, roof, ticket):
    many = ",".join(str(10**9 + number) for number in range(100))
    watch = Statement(text("UPDATE tickets SET watchers_ids = :many WHERE account_id = :account_id"))
    with world.write() as transaction:
        transaction.run(watch, many=many)
    world.database.known_tickets.clear()
    ada.get(f"/projects/{roof}/tickets")
    assert world.database.known_tickets.weight > len(many) + ticket_lists.MIN_LENGTH


def test_a_client_that_reads_all_pages_displaces_nothing(world, ada, roof, monkeypatch):
    monkeypatch.setattr(ticket_lists, "MAX_OFFSET", 0)
    for number in range(3):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}"}})
    for path in (f"/projects/{roof}/tickets?", "/tickets?", f"/projects/{roof}/tickets?q=Leak&"):
        world.database.known_tickets.clear()
        assert len(ada.get(f"{path}limit=1&page=2").items) == 1
        assert not world.database.known_tickets
        assert len(ada.get(f"{path}limit=1&page=1").items) == 1
        assert len(world.database.known_tickets) == 1


@pytest.mark.matrix("postgres")
def test_values_lost_in_a_failure_of_the_database_are_not_shown(world, ada, roof, ticket):
    lose = Statement(text("UPDATE tickets SET revision = revision - 1 WHERE account_id = :account_id"))
    ada.put(f"{ticket}/versions/1", {"version": {"body": "Lost"}})
    lists(ada, roof, "Leak")
    with world.write() as transaction:
        transaction.run(lose)
    with postgres.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s",
            (world.database.engine.url.database,),
        )
    ada.put(f"{ticket}/versions/1", {"version": {"body": "Kept"}})
    assert all(b"Kept" in body for body, _ in check(world.instance, ada, roof, "Leak").values())


@pytest.mark.matrix("postgres")
def test_the_cache_is_cleared_after_a_failure_of_the_database(world, ada, roof, ticket):
    with world.database.read(world.account_id) as transaction, postgres.connect() as connection:
        (own,) = transaction.one(Statement(text("SELECT pg_backend_pid()"), across_accounts=True))
        ada.get(f"/projects/{roof}/tickets")
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s AND pid <> %s",
            (world.database.engine.url.database, own),
        )
        assert ada.get("/projects").status == 200
        assert ticket_lists.of_project(transaction, roof, limit=1, offset=0)
    assert not world.database.known_tickets
