"""Navigation from a list to its tickets and back, without scripts."""

import pytest

from tests.site.test_replies import reply


@pytest.fixture
def five(ada, tickets):
    """Tickets 1 to 5, the odd ones wet."""
    for number in range(1, 6):
        tag = "wet" if number % 2 else "dry"
        ada.post(tickets, {"ticket": {"title": f"T{number}", "tag": tag}})


def beside(page):
    """Return where the links to the previous and the next ticket lead."""
    links = {text.split("#")[0].strip(): href for href, text in page.reading.links}
    return links.get("Previous"), links.get("Next")


@pytest.mark.usefixtures("five")
def test_a_ticket_links_to_its_neighbours_in_the_plain_list(surfing, ada, tickets):
    web = surfing(ada)
    assert beside(web.get(f"{tickets}/3")) == (f"{tickets}/4", f"{tickets}/2")
    assert beside(web.get(f"{tickets}/5")) == (None, f"{tickets}/4")
    assert beside(web.get(f"{tickets}/1")) == (f"{tickets}/2", None)


@pytest.mark.usefixtures("five")
def test_a_ticket_links_to_its_neighbours_in_the_list_that_the_reader_came_from(surfing, ada, tickets):
    web = surfing(ada)
    query = "?in=tagged%3Awet+sort%3Anumber"
    page = web.get(f"{tickets}/3{query}")
    assert beside(page) == (f"{tickets}/1{query}", f"{tickets}/5{query}")
    assert beside(web.get(f"{tickets}/2{query}")) == (None, None)
    assert f"{tickets}?q=tagged%3Awet%20sort%3Anumber" in page.links


@pytest.mark.usefixtures("five")
def test_the_neighbours_stay_when_a_reply_moves_the_ticket(surfing, ada, tickets):
    web = surfing(ada)
    page = reply(web, f"{tickets}/3?in=tagged%3Awet", state="resolved", tag="dry")
    assert page.status == 200
    assert beside(page) == (f"{tickets}/5?in=tagged%3Awet", f"{tickets}/1?in=tagged%3Awet")


@pytest.mark.usefixtures("five")
@pytest.mark.parametrize(
    "way", ["in=(((", "in=%27", "beside=x-y", "beside=99999999999999999999-", "in=sort:-"]
)
def test_an_impossible_origin_of_a_page_is_ignored(surfing, ada, tickets, way):
    assert surfing(ada).get(f"{tickets}/3?{way}").status == 200
