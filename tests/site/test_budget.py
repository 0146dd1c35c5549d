"""The size limit of pages: longer content has pages of its own."""

import re

import pytest

from skerry.wire import budget

LONG = "It drips. " * 90_000


@pytest.fixture
def web(surfing, ben):
    return surfing(ben)


def fits(page):
    assert page.status == 200
    assert len(page.source.encode()) <= budget.MAX
    return page


def test_the_pages_of_a_large_ticket_show_every_comment(web, ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "The *opening*"}})
    ticket = f"/projects/{roof}/tickets/1"
    for number in range(12):
        ben.put(ticket, {"ticket": {"body": f"Comment {number} {LONG}"}})
    address, seen = ticket, set()
    while address:
        page = fits(web.get(address))
        assert "<em>opening</em>" in page.source
        seen |= {number for number in range(12) if f"Comment {number} It drips." in page.source}
        before = [link for link in page.links if "?at=" in link]
        address = min(before, key=lambda link: int(link.rpartition("=")[2]), default=None)
        assert address != page.path
    assert seen == set(range(12))
    assert re.search(r"\d more\b", web.get(ticket).text)


def test_long_comments_are_shortened_on_a_message_and_lead_to_their_texts(web, ben, roof):
    message = ben.post(f"/projects/{roof}/messages", {"message": {"title": "Storm", "body": LONG}}).item["id"]
    place = f"/projects/{roof}/messages"
    for _ in range(9):
        ben.post(f"{place}/{message}/comments", {"comment": {"body": f"{LONG}<b>The end</b>"}})
    page = fits(web.get(f"{place}/{message}"))
    assert budget.MARK.strip() not in page.source
    whole = [link for link in page.links if link.endswith("/text")]
    assert len(whole) == 9
    text = fits(web.get(whole[-1]))
    assert "&lt;b&gt;The end&lt;/b&gt;" in text.source
    assert f"{place}/{whole[-1].split('/')[-2]}" in text.links
    fits(web.get(place))
    fits(web.get(f"/projects/{roof}"))


def test_a_version_alone_shows_all_of_its_text(web, ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": f"{LONG}<b>The end</b>"}})
    page = fits(web.get(f"/projects/{roof}/tickets/1/versions/1"))
    assert "&lt;b&gt;The end&lt;/b&gt;" in page.source
    assert f"/projects/{roof}/tickets/1?at=1#v1" in page.links


def test_a_page_that_is_saved_with_a_shortened_text_says_so_in_german(surfing, ben, roof):
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "Whole"}})
    web = surfing(ben)
    web.cookies["skerry-language"] = "de"
    address = f"/projects/{roof}/tickets/1/versions/1"
    page = web.get(f"{address}/edit")
    page = web.submit(page, address, **{"version[body]": f"Who{budget.MARK}"})
    assert page.status == 422
    assert "wurde gekürzt" in page.text
    assert ben.get(address).item["body"] == "Whole"
