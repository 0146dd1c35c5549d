"""Pages of projects."""

from skerry.tracker.access import Permission
from skerry.web.routes.pages import PAGES
from tests.support.route_matrix import Account


def test_the_list_shows_open_and_all_tickets_and_keeps_archived_projects_apart(
    surfing, ada, ben, roof, harbour
):
    for state in ("new", "resolved", "resolved"):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "state": state}})
    ada.put(f"/projects/{harbour}", {"project": {"archived": True}})
    page = surfing(ben).get("/projects")
    living, _, archived = page.text.partition("Archived")
    assert "Roof 1 open ticket · 3 in total" in living
    assert "Harbour" in archived
    assert f"/projects/{roof}/tickets?q=state:open" in page.links


def test_many_projects_come_in_pages_and_are_found_by_name(surfing, ada, roof):
    for number in range(61):
        assert ada.post("/projects", {"project": {"name": f"Shed {number:02}"}}).status == 201
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    web = surfing(ada)
    page = web.get("/projects")
    assert "Page 1 of 2" in page.text
    assert [name in page.text for name in ("Shed 12", "Shed 60", "Roof")] == [True, False, False]
    later = web.get("/projects?page=2").text
    assert [name in later for name in ("Shed 12", "Shed 60", "Archived Roof")] == [False, True, True]
    page = web.submit(page, "/projects", q="60 shed")
    assert [name in page.text for name in ("Shed 12", "Shed 60", "Roof")] == [False, True, False]
    own = f"/users/{ada.user_id}"
    assert "Page 1 of 2" in web.get(own).text
    assert "Shed 60" in web.get(f"{own}?page=2").text
    assert "all projects" in web.get("/administration").text


def test_only_members_of_the_account_are_led_to_a_new_project(surfing, ben, cy, harbour):
    assert "/projects/new" in surfing(ben).get("/projects").links
    assert "/projects/new" not in surfing(cy).get("/projects").links


def test_the_sign_in_page_is_shown_if_nothing_is_public(surfing, roof):
    assert surfing().get("/projects").path == "/sign-in?next=%2Fprojects"


def test_the_overview_of_a_new_project_says_what_to_do_next(surfing, ben, roof):
    page = surfing(ben).get(f"/projects/{roof}")
    assert page.status == 200
    for place in ("tickets", "milestones", "messages"):
        assert f"/projects/{roof}/{place}/new" in page.links


def test_the_overview_shows_states_activity_goals_and_messages(surfing, ben, roof):
    project = f"/projects/{roof}"
    milestone = ben.post(
        f"{project}/milestones", {"milestone": {"title": "Dry", "due_on": "2001-01-01"}}
    ).item
    for state in ("new", "new", "open", "hold"):
        ticket = {"title": "Leak", "state": state, "milestone_id": milestone["id"]}
        ben.post(f"{project}/tickets", {"ticket": ticket})
    ben.post(f"{project}/messages", {"message": {"title": "Hello", "body": "We *begin*."}})
    page = surfing(ben).get(project)
    for words in (
        "3 open",
        "new 2",
        "hold 1",
        "Ben opened #4 Leak",
        "Dry",
        "3 of 4 open",
        "days late",
        "Latest message all Hello We begin.",
    ):
        assert words in page.text
    assert f"{project}/tickets?q=state%3Anew" in page.links


def test_the_state_called_open_leads_to_its_own_tickets_alone(surfing, ben, roof):
    for state in ("new", "open"):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": state, "state": state}})
    links = surfing(ben).get(f"/projects/{roof}").links
    link = next(link for link in links if "not-state" in link)
    path, _, query = link.partition("?")
    assert [ticket["title"] for ticket in ben.get(f"{path}?{query}").items] == ["open"]


def test_strangers_see_public_projects_and_no_others(surfing, cy, roof, harbour):
    assert surfing(cy).get(f"/projects/{harbour}").status == 200
    assert surfing(cy).get(f"/projects/{roof}").status == 404
    page = surfing().get(f"/projects/{harbour}")
    assert page.status == 200
    assert not [link for link in page.links if link.endswith("/new")]


def test_an_archived_project_is_read_as_ever_and_has_no_form_that_could_only_be_refused(surfing, world, ada):
    site, web = Account(world, "beacon").sites["archived"], surfing(ada)
    for page in PAGES:
        if not page.route.in_project or page.permission is Permission.UNARCHIVE:
            continue
        shown = web.get(site.path(page.route))
        changes = page.permission in (Permission.COMMENT, Permission.CONTRIBUTE)
        assert shown.status == (403 if changes else 200), page.path
        assert ("This project is archived; it can be read" in shown.text) == changes, page.path
        sent = {form.action for form in shown.reading.forms if form.method == "post"}
        # How a list is shown is the reader's own.
        assert {each for each in sent if not each.startswith("/profile/lists/")} == {
            "/preferences",
            "/sign-out",
        }
    web.cookies["skerry-language"] = "de"
    page = web.get(f"/projects/{site.values['projects']}/tickets/new")
    assert "Dieses Projekt ist archiviert; es lässt sich lesen" in page.text


def test_a_forbidden_page_links_back_to_the_project_only_if_it_is_visible(
    surfing, ada, ben, cy, roof, harbour
):
    for project in (roof, harbour):
        ada.put(f"/projects/{project}", {"project": {"archived": True}})
    page = surfing(ben).get(f"/projects/{roof}-roof/tickets/new")
    assert (page.status, f"/projects/{roof}" in page.links) == (403, True)
    page = surfing(cy).get(f"/projects/{harbour}/settings")
    assert (page.status, f"/projects/{harbour}" in page.links) == (403, True)
    page = surfing(cy).get(f"/projects/{roof}/settings")
    assert (page.status, f"/projects/{roof}" in page.links) == (404, False)


def test_a_new_project_shows_its_first_steps_until_they_are_done(surfing, world, ada, ben):
    project = ada.post("/projects", {"project": {"name": "Cellar"}}).item["id"]
    web, address = surfing(ada), f"/projects/{project}"
    page = web.get(address)
    steps = {f"{address}/tickets/new", f"/administration?for={project}#invite", f"{address}/hooks"}
    assert steps <= {*page.links}
    assert 'class="done"' not in page.source
    ada.post(f"{address}/tickets", {"ticket": {"title": "Damp"}})
    assert web.get(address).source.count('class="done"') == 1
    ada.post(f"{address}/memberships", {"membership": {"user_id": ben.user_id}})
    assert "First steps" not in web.get(address).text


def test_first_steps_are_dismissed_for_a_project_and_shown_to_members_alone(surfing, ada, ben, harbour):
    made = [ada.post("/projects", {"project": {"name": name}}).item for name in ("Cellar", "Attic")]
    first, second = (project["id"] for project in made)
    web = surfing(ada)
    page = web.press(web.get(f"/projects/{first}"), "Dismiss", dismissed=first)
    assert (page.path, "First steps" in page.text) == (f"/projects/{first}", False)
    assert "No tickets yet." in page.text
    assert "First steps" in web.get(f"/projects/{second}").text
    web.cookies["skerry-dismissed"] = f"x.{'9' * 400}.%00.{second}"
    assert "First steps" not in web.get(f"/projects/{second}").text
    assert "First steps" not in surfing().get(f"/projects/{harbour}").text
