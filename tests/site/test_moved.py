"""Redirects from the URLs of older trackers."""

import pytest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/dashboard", "/"),
        ("/login", "/sign-in"),
        ("/projects/7-roof/overview", "/projects/7-roof"),
        ("/projects/7/home", "/projects/7"),
        ("/projects/7/milestones/current", "/projects/7/tickets?q=milestone:next"),
        ("/projects/7/tickets/bins/4", "/projects/7/bins/4"),
    ],
)
def test_old_addresses_lead_to_the_pages_of_today(nobody, old, new):
    answer = nobody.get(f"{old}!", Accept="text/html")
    assert (answer.status, answer.headers["location"]) == (301, new)


def test_an_old_address_shows_the_same_page(surfing, ben, roof):
    (shown, *_) = ben.get(f"/projects/{roof}/bins").items
    web = surfing(ben)
    moved = web.get(f"/projects/{roof}-roof/tickets/bins/{shown['id']}")
    page = web.get(moved.headers["location"])
    assert (page.status, shown["name"] in page.text) == (200, True)


def test_old_links_to_a_comment_still_find_it(surfing, ben, tickets):
    ben.post(tickets, {"ticket": {"title": "Leak"}})
    ben.put(f"{tickets}/1", {"ticket": {"body": "It drips"}})
    page = surfing(ben).get(f"{tickets}/1-leak")
    assert 'id="ticket-1-2"' in page.source


def test_programs_find_nothing_there(ben, roof):
    for path in ("/dashboard", f"/projects/{roof}/overview", f"/projects/{roof}/milestones/current"):
        for extension in ("xml", "json"):
            assert ben.get(f"{path}.{extension}").status == 404
