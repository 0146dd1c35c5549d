"""Lists that end before the requested page show the last one."""

import pytest


@pytest.fixture
def project(ben, roof):
    """The address of a project with one of everything."""
    address = f"/projects/{roof}"
    things = {
        "tickets": {"ticket": {"title": "Something"}},
        "milestones": {"milestone": {"title": "Something"}},
        "messages": {"message": {"title": "Something"}},
        "changesets": {"changeset": {"revision": "r1", "title": "Something"}},
    }
    for name, thing in things.items():
        assert ben.post(f"{address}/{name}", thing).status == 201
    return address


@pytest.mark.parametrize("part", ["tickets", "milestones", "messages", "changesets", "activity"])
def test_the_last_page_of_a_list_is_shown_in_place_of_a_later_one(surfing, ben, project, part):
    page = surfing(ben).get(f"{project}/{part}?page=9")
    assert (page.status, "Something" in page.text, "Page" in page.text) == (200, True, False)


@pytest.mark.parametrize("place", ["/tickets", "/milestones", "/activity"])
@pytest.mark.usefixtures("project")
def test_it_is_the_same_in_a_list_of_all_projects(surfing, ben, place):
    assert "Something" in surfing(ben).get(f"{place}?page=9").text


def test_every_empty_list_says_that_it_is_empty(surfing, ben, roof):
    page = surfing(ben).get(f"/projects/{roof}/tickets?q=nowhere&page=9")
    assert "No matches" in page.text
