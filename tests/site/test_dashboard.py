"""The dashboard and recent activity."""

import pytest

from skerry.tracker import projects

pytestmark = pytest.mark.matrix("databases")

NOON = 1_773_489_600_000_000  # 2026-03-14T12:00:00Z


def test_the_first_page_welcomes_visitors_and_says_how_to_sign_in(surfing, world):
    page = surfing().get("/")
    assert page.status == 200
    assert f"curl -u LOGIN:PASSWORD http://{world.host}/projects.json" in page.text
    assert {"/sign-in", "/api", "/openapi.json"} <= set(page.links)
    assert "Public projects" not in page.text


def test_the_first_page_shows_visitors_only_what_is_public(surfing, roof, harbour):
    page = surfing().get("/")
    assert f"/projects/{harbour}" in page.links
    assert f"/projects/{roof}" not in page.links
    assert "all projects" not in page.text


def test_the_first_page_links_visitors_to_the_rest_of_many_public_projects(surfing, ada, harbour):
    for number in range(12):
        made = ada.post("/projects", {"project": {"name": f"Boat {number:02}", "public": True}})
        assert made.status == 201
    page = surfing().get("/")
    assert [name in page.text for name in ("Boat 00", "Boat 11", "Harbour")] == [True, True, False]
    page = surfing().get(next(href for href, text in page.reading.links if text == "all projects"))
    assert f"/projects/{harbour}" in page.links


def test_an_empty_account_says_what_to_do_next(surfing, ada, cy):
    assert "/projects/new" in surfing(ada).get("/").links
    page = surfing(cy).get("/")
    assert "Ask a member to add you" in page.text
    assert "/projects/new" not in page.links


@pytest.mark.parametrize("with_ticket", [True, False])
def test_the_dashboard_says_if_every_project_is_archived(surfing, ada, ben, roof, with_ticket):
    if with_ticket:
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    page = surfing(ben).get("/")
    assert "No projects yet" not in page.text
    assert "All projects are archived." in page.text
    assert "/projects" in page.links
    assert page.text.count("Leak") == 2 * with_ticket
    assert f"/projects/{roof}/tickets/new" not in page.links


def test_the_first_page_shows_what_waits_for_its_reader(surfing, ben, roof, harbour):
    for project, title in ((roof, "Leak"), (harbour, "Buoy")):
        ticket = {"title": title, "assigned_user_id": ben.user_id}
        ben.post(f"/projects/{project}/tickets", {"ticket": ticket})
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Somebody else's"}})
    ben.post(
        f"/projects/{roof}/tickets",
        {"ticket": {"title": "Done", "state": "resolved", "assigned_user_id": ben.user_id}},
    )
    mine = surfing(ben).get("/").text.partition("My open tickets")[2].partition("Activity")[0]
    assert "#1 new Leak" in mine
    assert "#1 new Buoy" in mine
    assert "Done" not in mine
    assert "Somebody else's" not in mine


def test_the_first_page_shows_what_happened_where_and_by_whom(surfing, ben, cy, roof, harbour):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    cy.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    assert "Cy opened #1 Buoy" in surfing(ben).get("/").text
    assert "Ben opened #1 Leak" in surfing(ben).get("/").text
    assert "Leak" not in surfing(cy).get("/").text


def test_the_first_page_shows_open_milestones_that_are_due(surfing, world, ben, roof, monkeypatch):
    monkeypatch.setattr(world.database, "clock", lambda: NOON)
    for title, due in (("Late one", "2026-03-12"), ("Soon", "2026-03-15"), ("Some day", None)):
        ben.post(f"/projects/{roof}/milestones", {"milestone": {"title": title, "due_on": due}})
    page = surfing(ben).get("/")
    assert "2 days late, was due" in page.text
    assert "due in 1 day," in page.text
    assert "Some day" not in page.text


@pytest.mark.parametrize("place", ["/activity", "/projects/{}/activity"])
def test_activity_is_paged(surfing, ben, roof, place):
    for number in range(32):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Ticket {number}"}})
    web = surfing(ben)
    page = web.get(place.format(roof))
    assert "opened #32 Ticket 31" in page.text
    assert "Ticket 1 " not in page.text
    assert "opened #1 Ticket 0" in web.get(f"{page.path}?page=2").text
    assert "opened #1 Ticket 0" in web.get(f"{page.path}?page=9").text


def test_every_kind_of_activity_leads_to_where_it_happened(surfing, ben, roof):
    project = f"/projects/{roof}"
    ben.post(f"{project}/tickets", {"ticket": {"title": "Leak <b>"}})
    ben.put(f"{project}/tickets/1", {"ticket": {"state": "resolved", "body": "Sealed & dry"}})
    message = ben.post(f"{project}/messages", {"message": {"title": "Hello"}}).item["id"]
    comment = ben.post(f"{project}/messages/{message}/comments", {"comment": {"body": "Ahoy"}}).item["id"]
    ben.post(f"{project}/changesets", {"changeset": {"revision": "a?b", "title": "Seal"}})
    page = surfing(ben).get(f"{project}/activity")
    assert "Ben closed #1 Leak <b> as resolved" in page.text
    assert "Sealed & dry" in page.text
    assert {
        f"{project}/tickets/1",
        f"{project}/tickets/1#v2",
        f"{project}/messages/{message}",
        f"{project}/messages/{comment}#comment-{comment}",
        f"{project}/changesets/a%3Fb",
    } <= set(page.links)


@pytest.mark.parametrize("path", ["/", "/tickets", "/users/{}"])
def test_a_page_reads_the_states_of_those_projects_alone_whose_tickets_it_shows(
    surfing, ben, roof, harbour, path, monkeypatch
):
    for project, states in ((roof, "new/f17\nwaiting/00f"), (harbour, "afloat/0f0")):
        ben.put(f"/projects/{project}/settings", {"settings": {"open_states": states}})
    leak = {"title": "Leak", "state": "waiting", "assigned_user_id": ben.user_id}
    ben.post(f"/projects/{roof}/tickets", {"ticket": leak})
    web, read, seen = surfing(ben), projects.read_states, []
    monkeypatch.setattr(projects, "read_states", lambda *texts: seen.append(texts) or read(*texts))
    page = web.get(path.format(ben.user_id))
    assert 'color="#0000ff"' in page.source
    assert {texts[0] for texts in seen} == {"new/f17\nwaiting/00f"}
