"""The frame of every page: the side bar, the bar, and the values of a theme."""

import re

from skerry.tracker.bins import MAX_BESIDE
from skerry.web.site import assets
from skerry.web.site.frame import MAX_PROJECTS

CSS = assets.content("skerry.css").decode()


def side(page):
    return page.source.partition('<nav class="side')[2].partition("</nav>")[0]


def test_browsers_that_know_one_theme_only_have_all_colours_of_the_light_one():
    light = dict(
        re.findall(r"(--[\w-]+): light-dark\(((?:[^(),]|\([^()]*\))+),", CSS.partition("@supports")[0])
    )
    without = CSS.partition("@supports not (color: light-dark")[2].partition("\n}\n")[0]
    assert light
    assert dict(re.findall(r"(--[\w-]+): ([^;]+);", without)) == light


def test_the_side_bar_marks_where_one_is(surfing, ben, roof):
    found = side(surfing(ben).get(f"/projects/{roof}/milestones"))
    assert re.findall(r'href="([^"]+)" aria-current="page"', found) == [f"/projects/{roof}/milestones"]


def test_the_side_bar_shows_some_projects_and_views_and_leads_to_all(surfing, ada, roof):
    for number in range(MAX_PROJECTS + 1):
        ada.post("/projects", {"project": {"name": f"a shed {number:02}"}})
        ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": f"View {number:02}", "query": "wet"}})
    found = side(surfing(ada).get(f"/projects/{roof}"))
    assert found.count("a shed") == MAX_PROJECTS
    assert re.findall(r'href="/projects/(\d+)"', found)[0] == str(roof)
    assert len(re.findall(r"/bins/\d+", found)) == MAX_BESIDE
    assert {"/projects", f"/projects/{roof}/bins"} <= set(re.findall(r'href="([^"]+)"', found))


def test_the_side_bar_shows_nothing_that_its_reader_may_not_see(surfing, ada, cy, roof, harbour):
    ada.post(f"/projects/{harbour}/bins", {"ticket_bin": {"name": "Mine alone", "query": "wet"}})
    found = side(surfing(cy).get(f"/projects/{harbour}"))
    assert "Harbour" in found
    assert "Roof" not in found
    assert "Mine alone" not in found
    ada.put(f"/projects/{harbour}", {"project": {"archived": True}})
    assert "Harbour" not in side(surfing(cy).get("/"))


def test_the_letters_come_from_this_site(world, ada):
    for name in re.findall(r'src: url\("([^"]+)"\)', CSS):
        font = ada.get(f"/static/{name}", Accept="*/*")
        assert (font.status, font.headers["content-type"]) == (200, "font/woff2")
        assert len(font.body) < 50_000


def test_an_error_page_stays_in_the_project_that_its_reader_sees(surfing, ben, cy, roof):
    missing = f"/projects/{roof}/tickets/99"
    page = surfing(ben).get(missing)
    assert (page.status, "Roof" in side(page)) == (404, True)
    assert f"/projects/{roof}/milestones" in page.links
    page = surfing(cy).get(missing)
    assert (page.status, "Roof" in page.text) == (404, False)
