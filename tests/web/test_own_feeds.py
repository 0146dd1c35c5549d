"""Feeds and calendars at addresses that hold a secret, for programs that cannot sign in."""

import re
from urllib.parse import quote

import pytest

from tests.conftest import PASSWORD
from tests.support import calendars
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.web.test_feeds import read

GONE = 404


def in_person(client):
    """Return a person with a password: tokens make no feeds."""
    return client.speaking(**basic(client.email, PASSWORD))


def make(client, **fields):
    answer = in_person(client).post("/profile/feeds", {"feed": fields})
    assert answer.status == 201, answer.body
    return answer.item


def path_of(feed):
    return "/" + feed["url"].split("/", 3)[3]


@pytest.fixture
def leaks(ben, roof):
    """Two tickets of the roof, of which one is resolved."""
    tickets = f"/projects/{roof}/tickets"
    ben.post(tickets, {"ticket": {"title": "Leak <1> & \u00e9", "tag": "wet 'two words'", "body": "Rain"}})
    ben.post(tickets, {"ticket": {"title": "Draught"}})
    ben.put(f"{tickets}/2", {"ticket": {"state": "resolved"}})
    return roof


@pytest.mark.matrix("both")
def test_anybody_with_the_address_can_read_the_tickets_of_its_query(world, ben, leaks):
    feed = make(ben, kind="tickets", project_id=leaks, query="state:open", note="Open leaks")
    answer = world.client().get(path_of(feed))
    head, (entry,) = read(answer)
    assert (head["title"], head["id"]) == (
        "Open leaks",
        f"http://{ben.host}/projects/{leaks}/tickets.atom?q=state%3Aopen",
    )
    assert (entry["title"], entry["summary"]) == ("Leak <1> & \u00e9 [#1]", "new")
    assert entry["id"] == entry["link"] == f"http://{ben.host}/projects/{leaks}/tickets/1"
    assert feed["url"].split("/feeds/")[1][:40] not in answer.body.decode()


def test_the_answer_is_neither_indexed_nor_told_to_other_sites(world, ben, leaks):
    answer = world.client().get(path_of(make(ben, kind="activity")))
    assert (answer.headers["referrer-policy"], answer.headers["x-robots-tag"]) == ("no-referrer", "noindex")
    again = world.client().get(path_of(make(ben, kind="activity")), If_None_Match=answer.headers["etag"])
    assert again.status == 304


@pytest.mark.matrix("both")
def test_tickets_of_several_projects_name_theirs(world, ben, leaks, harbour):
    ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Rope"}})
    _, entries = read(world.client().get(path_of(make(ben, kind="tickets", query="state:open sort:number"))))
    assert {entry["title"] for entry in entries} >= {"Roof: Leak <1> & \u00e9 [#1]"}


@pytest.mark.matrix("both")
def test_messages_come_with_what_they_say(world, ben, roof):
    ben.post(f"/projects/{roof}/messages", {"message": {"title": "Hello", "body": "We *begin*."}})
    _, (entry,) = read(world.client().get(path_of(make(ben, kind="messages", project_id=roof))))
    assert (entry["title"], entry["author"]) == ("Hello", "Ben")
    assert "We <em>begin</em>." in entry["content"]


def test_a_revoked_address_leads_nowhere(world, ben, roof):
    feed = make(ben, kind="activity", project_id=roof)
    assert world.client().get(path_of(feed)).status == 200
    assert in_person(ben).delete(f"/profile/feeds/{feed['id']}").status == 200
    for path in (path_of(feed), f"/feeds/{'0' * 40}.atom"):
        assert world.client().get(path).status == GONE


def test_an_address_shows_what_its_owner_may_see_now(world, ada, ben, roof):
    of_project, of_all = (path_of(make(ben, kind="tickets", **more)) for more in ({"project_id": roof}, {}))
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Secret"}})
    assert len(read(world.client().get(of_all))[1]) == 1
    (membership,) = [
        each["id"]
        for each in ada.get(f"/projects/{roof}/memberships").items
        if each["user_id"] == ben.user_id
    ]
    assert ada.delete(f"/projects/{roof}/memberships/{membership}").status == 200
    assert world.client().get(of_project).status == GONE
    assert "Secret" not in world.client().get(of_all).body.decode()


def test_an_address_ends_with_its_owner(world, ada, ben, roof):
    path = path_of(make(ben, kind="activity"))
    assert in_person(ada).delete(f"/people/{ben.user_id}").status == 200
    assert world.client().get(path).status == GONE
    assert in_person(ada).post(f"/people/{ben.user_id}/restore").status == 200
    assert world.client().get(path).status == GONE


def test_the_feeds_of_a_disabled_person_stop_working(world, ada, ben):
    path = path_of(make(ben, kind="activity"))
    for disabled, status in ((True, GONE), (False, 200)):
        in_person(ada).put(f"/people/{ben.user_id}", {"person": {"disabled": disabled}})
        assert world.client().get(path).status == status


@pytest.mark.matrix("both")
def test_addresses_end_with_the_tokens_when_a_password_changes(world, ben):
    path = path_of(make(ben, kind="activity"))
    draft = {"present": PASSWORD, "new": "a shed full of rope", "revoke_tokens": True}
    assert in_person(ben).put("/profile/password", {"password": draft}).status == 200
    assert world.client().get(path).status == GONE


def test_an_address_gives_only_its_list_in_its_format(world, ben, roof):
    secret = path_of(make(ben, kind="activity", project_id=roof)).removesuffix(".atom")
    for path, status in (("", 406), (".json", 406), (".xml", 406), (".ics", 406), (".atom", 200)):
        assert world.client().get(f"{secret}{path}", Accept="application/json").status == status, path
    assert world.client().get(f"{secret}.atom?page=7&limit=100&q=x").status == 200
    token = secret.removeprefix("/feeds/")
    assert ben.speaking(**{"X-ServiceToken": token}).get(f"/projects/{roof}").status == 401
    assert world.client().post(f"{secret}.atom", {}).status == 405


def test_the_secret_is_shown_once_and_neither_stored_nor_logged(world, ben, roof):
    feed = make(ben, kind="activity", project_id=roof, note="Reader")
    (listed,) = in_person(ben).get("/profile/feeds").items
    assert listed == {name: value for name, value in feed.items() if name != "url"}
    assert in_person(ben).get(f"/profile/feeds/{feed['id']}").item == listed
    assert ben.get("/profile/feeds").status == 403
    world.client().get(path_of(feed))
    secret = re.search("[0-9a-f]{40}", feed["url"])[0]
    assert secret not in world.log.getvalue()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Kind can't be blank"),
        ({"kind": "people"}, "Kind must be one of tickets, activity, messages, milestones, due_dates"),
        ({"kind": "messages"}, "Project can't be blank: messages belong to one project"),
        ({"kind": "activity", "query": "state:open"}, "Query is only available for tickets"),
        ({"kind": "tickets", "query": "colour:red"}, "Query: Unknown keyword 'colour' at 1"),
        ({"kind": "tickets", "note": "x" * 256}, "Note is too long (at most 255 characters)"),
    ],
)
def test_an_invalid_feed_is_refused(ben, fields, sentence):
    answer = in_person(ben).post("/profile/feeds", {"feed": fields})
    assert answer.status == 422
    assert answer.errors[0].startswith(sentence)


def test_feeds_need_permission_to_see_the_list_and_belong_to_their_owner(ada, ben, cy, roof):
    hidden = in_person(cy).post("/profile/feeds", {"feed": {"kind": "tickets", "project_id": roof}})
    assert hidden.status == 404
    feed = make(ben, kind="activity")
    for client in (ada, cy):
        assert in_person(client).get(f"/profile/feeds/{feed['id']}").status == 404
        assert in_person(client).delete(f"/profile/feeds/{feed['id']}").status == 404


def test_a_person_has_a_limited_number_of_feeds(ben, monkeypatch):
    monkeypatch.setattr("skerry.tracker.sending.feeds.MAX", 2)
    for _ in range(2):
        make(ben, kind="activity")
    answer = in_person(ben).post("/profile/feeds", {"feed": {"kind": "activity"}})
    assert (answer.status, answer.errors) == (
        409,
        ["You have 2 feeds; delete one that you no longer need"],
    )


def test_due_dates_are_whole_days_in_a_calendar(world, ben, roof):
    milestones = f"/projects/{roof}/milestones"
    title = "Dry; by, autumn \\ \u96e8" + "\u00e9" * 60
    ben.post(milestones, {"milestone": {"title": title, "goals": "No\nrain, ever", "due_on": "2026-10-01"}})
    ben.post(milestones, {"milestone": {"title": "Some day"}})
    ben.post(milestones, {"milestone": {"title": "Done", "due_on": "2026-09-01"}})
    ben.put(f"{milestones}/3/close")
    answer = world.client().get(path_of(make(ben, kind="milestones", project_id=roof, note="Roof, dry")))
    assert (answer.status, answer.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    calendar, events = calendars.read(answer.body)
    assert calendar["NAME"] == "Roof, dry"
    assert [
        (event["SUMMARY"], event["DTSTART;VALUE=DATE"], event["DTEND;VALUE=DATE"]) for event in events
    ] == [
        (title, "20261001", "20261002"),
        ("Done", "20260901", "20260902"),
    ]
    assert events[0]["DESCRIPTION"] == "No\nrain, ever"
    assert events[0]["UID"] == f"milestone-{roof}-1@{ben.host}"
    assert events[0]["URL"] == f"http://{ben.host}{milestones}/1"


@pytest.mark.matrix("both")
def test_one_calendar_has_the_due_dates_of_all_projects(world, ben, roof, harbour):
    for project in (roof, harbour):
        due = {"title": "Spring", "due_on": "2026-03-20"}
        ben.post(f"/projects/{project}/milestones", {"milestone": due})
    _, events = calendars.read(world.client().get(path_of(make(ben, kind="milestones"))).body)
    names = {each["id"]: each["name"] for each in ben.get("/projects").items}
    seen = {f"{names[project]}: Spring" for project in (roof, harbour) if project in names}
    assert {event["SUMMARY"] for event in events} == (seen if len(names) > 1 else {"Spring"})


@pytest.mark.matrix("both")
def test_a_calendar_has_the_days_on_which_tickets_are_due(world, ben, roof):
    tickets = f"/projects/{roof}/tickets"
    days = {"Gable": "2027-03-01", "Wall": "2027-02-01", "Door": None, "Stairs": "2027-01-01"}
    for title, day in days.items():
        ben.post(tickets, {"ticket": {"title": title, "tag": "wet", "due_on": day}})
    ben.put(f"{tickets}/1", {"ticket": {"state": "resolved"}})
    made = make(ben, kind="due_dates", project_id=roof, query="tagged:wet -title:stairs")
    _, events = calendars.read(world.client().get(path_of(made)).body)
    assert [(event["SUMMARY"], event["DTSTART;VALUE=DATE"]) for event in events] == [
        ("#2 Wall", "20270201"),
        ("#1 Gable", "20270301"),
    ]
    assert events[0]["UID"] == f"ticket-{roof}-2@{ben.host}"
    assert events[0]["URL"] == f"http://{ben.host}{tickets}/2"
    assert world.client().get(path_of(made).replace(".ics", ".atom")).status == 406
    _, listed = calendars.read(ben.get(f"{tickets}.ics?q=due:<2027-02-02").body)
    assert {event["SUMMARY"] for event in listed} == {"#2 Wall", "#4 Stairs"}


def test_lists_are_feeds_and_calendars_also_with_a_token(ben, leaks):
    _, entries = read(ben.get(f"/projects/{leaks}/tickets.atom?q={quote('state:resolved')}"))
    assert [entry["title"] for entry in entries] == ["Draught [#2]"]
    assert calendars.read(ben.get("/milestones.ics").body)[1] == []


def test_a_list_leads_to_its_address_in_a_browser(world, ben, leaks):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ben.email, PASSWORD)
    page = web.get(f"/projects/{leaks}/tickets?q=state:open")
    offer = web.get(next(each for each in page.links if each.startswith("/profile/feeds")))
    made = web.submit(offer, "/profile/feeds", **{"feed[note]": "Open leaks"})
    address = re.search(r"http://\S+/feeds/[0-9a-f]{40}\.atom", made.source)[0]
    assert len(read(world.client().get("/" + address.split("/", 3)[3]))[1]) == 1
    kept = web.get("/profile/feeds")
    assert "Open leaks" in kept.text
    assert "/feeds/" not in kept.source.replace("/profile/feeds", "")
    (feed,) = in_person(ben).get("/profile/feeds").items
    assert "Open leaks" not in web.submit(kept, f"/profile/feeds/{feed['id']}").text
