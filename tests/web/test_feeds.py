"""Feeds of recent activity, tickets and messages."""

from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.matrix("xml")

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def busy(ben, roof):
    """A project in which something of each kind has happened."""
    project = f"/projects/{roof}"
    ben.post(f"{project}/tickets", {"ticket": {"title": "Leak <1> & \u00e9", "body": "Rain *comes* in."}})
    message = ben.post(f"{project}/messages", {"message": {"title": "Hello", "body": "We begin."}}).item["id"]
    ben.put(f"{project}/tickets/1", {"ticket": {"state": "resolved"}})
    ben.post(f"{project}/messages/{message}/comments", {"comment": {"body": "At last."}})
    ben.post(f"{project}/changesets", {"changeset": {"revision": "abc1", "title": "Seal"}})
    return roof


def read(answer):
    """Return a feed and its entries, each as texts by name, its address and author among them."""
    assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml; charset=utf-8")
    root = ET.fromstring(answer.body)  # noqa: S314 - our own answer
    entries = [
        {part.tag.removeprefix(ATOM): part.get("href") or "".join(part.itertext()) for part in entry}
        for entry in root.findall(f"{ATOM}entry")
    ]
    return {part.tag.removeprefix(ATOM): part.text for part in root}, entries


def test_a_feed_shows_the_newest_activity_first(ben, busy):
    _, entries = read(ben.get(f"/projects/{busy}/activity.atom"))
    assert [(entry["title"], entry["summary"]) for entry in entries] == [
        ("[Changeset] Roof: Seal", "Committed"),
        ("[Message] Roof: Hello", "Commented: At last."),
        ("Roof: Leak <1> & \u00e9 [#1]", "Closed (resolved)"),
        ("[Message] Roof: Hello", "Posted: We begin."),
        ("Roof: Leak <1> & \u00e9 [#1]", "Opened (new): Rain comes in."),
    ]
    assert {entry["author"] for entry in entries} == {"Ben"}


def test_each_entry_is_known_by_the_place_to_which_it_leads(ben, busy):
    feed, entries = read(ben.get(f"/projects/{busy}/activity.atom"))
    project = f"http://{ben.host}/projects/{busy}"
    places = ["changesets/abc1", "messages/2#comment-2", "tickets/1#v2", "messages/1", "tickets/1#v1"]
    assert [entry["id"] for entry in entries] == [f"{project}/{place}" for place in places]
    assert all(entry["link"] == entry["id"] for entry in entries)
    assert (feed["id"], feed["updated"]) == (f"{project}/activity.atom", entries[0]["updated"])


def test_all_projects_have_one_feed_also_where_readers_of_old_look_for_it(world, ben, cy, busy):
    feed, entries = read(ben.get("/activity.atom"))
    token = world.token(ben.user_id, read_only=True)
    assert read(world.client().get(f"/events.atom?_token={token}")) == (feed, entries)
    feed, entries = read(cy.get("/events.atom"))
    assert (entries, feed["updated"]) == ([], "1970-01-01T00:00:00Z")


def test_a_client_that_returns_gets_304_if_nothing_happened(ben, busy):
    tag = ben.get("/events.atom").headers["etag"]
    assert ben.get("/events.atom", If_None_Match=tag).status == 304
    ben.put(f"/projects/{busy}/tickets/1", {"ticket": {"body": "Again"}})
    assert ben.get("/events.atom", If_None_Match=tag).status == 200


def test_a_hidden_project_is_refused_in_xml(cy, nobody, busy):
    for client, status in ((cy, 404), (nobody, 401)):
        answer = client.get(f"/projects/{busy}/activity.atom")
        assert (answer.status, answer.headers["content-type"]) == (status, "application/xml; charset=utf-8")


def test_other_lists_have_no_feed(ben, roof):
    for path in ("/projects", f"/projects/{roof}", f"/projects/{roof}/milestones"):
        assert ben.get(f"{path}.atom", Accept="application/xml").status == 406
    assert ben.get(f"/projects/{roof}/activity.ics", Accept="application/xml").status == 406


def test_the_pages_of_what_happened_name_their_feeds(ben, roof):
    for path in ("/activity", f"/projects/{roof}/activity"):
        page = ben.get(f"{path}!", Accept="text/html").body.decode()
        assert f'<link rel="alternate" href="{path}.atom" type="application/atom+xml">' in page


def test_the_texts_of_messages_have_absolute_links_and_images(ben, roof):
    body = "See #1 and ![p](/attachments/1/p.png)"
    ben.post(f"/projects/{roof}/messages", {"message": {"title": "Two\nlines", "body": body}})
    _, (entry,) = read(ben.get(f"/projects/{roof}/messages.atom"))
    base = f"http://{ben.host}"
    assert entry["title"] == "Two lines"
    for link in (f'href="{base}/projects/{roof}/tickets/1"', f'src="{base}/attachments/1/p.png"'):
        assert link in entry["content"]


def test_a_title_of_two_lines_is_one_line_in_feeds_and_calendars(ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Two\r\nlines\u2028more"}})
    due = {"title": "First\nsecond", "goals": "One\ntwo", "due_on": "2027-01-01T00:00:00Z"}
    ben.post(f"/projects/{roof}/milestones", {"milestone": due})
    for feed in ("tickets", "activity"):
        _, (entry,) = read(ben.get(f"/projects/{roof}/{feed}.atom"))
        assert "Two lines more [#1]" in entry["title"]
    lines = ben.get(f"/projects/{roof}/milestones.ics").body.decode().split("\r\n")
    assert {"SUMMARY:First second", "DESCRIPTION:One\\ntwo"} < set(lines)
