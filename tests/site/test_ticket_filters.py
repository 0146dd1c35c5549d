"""The pages that add filters to the query of a list, as people without scripts see them."""

import re
from html import unescape
from urllib.parse import quote

import pytest

from tests.support.browser_client import query_of


@pytest.fixture
def tickets(ada, ben, roof):
    """Tickets 1 to 3, of which Ben has the second; gives the address of their list."""
    for title, state, tag, importance in (
        ("Leak", "new", "wet", 1),
        ("Moss", "open", "wet", 4),
        ("Tile", "hold", "dry", 2),
    ):
        fields = {"title": title, "state": state, "tag": tag, "importance": importance}
        ada.post(f"/projects/{roof}/tickets", {"ticket": fields})
    ada.put(f"/projects/{roof}/tickets/2", {"ticket": {"assigned_user_id": ben.user_id}})
    return f"/projects/{roof}/tickets"


def choices(page):
    """Return the queries that the page offers, by their labels."""
    found = re.findall(r'<button name="q" value="([^"]*)"[^>]*>(.*?)</button>', page.source, re.DOTALL)
    return {re.sub(r"<kbd.*?</kbd>|<[^>]+>", "", label).strip(): unescape(query) for query, label in found}


def filtered(web, tickets, key, query, label):
    """Return the query after a label was chosen on the page of a filter."""
    page = web.get(f"{tickets}/filter?key={key}&q={quote(query)}")
    assert page.status == 200
    return choices(page)[label]


def test_a_filter_is_chosen_on_two_small_pages(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}?q=moss")
    page = web.get(next(href for href in page.links if "/filter?" in href))
    page = web.get(next(href for href in page.links if "key=responsible" in href))
    found = web.get(f"{tickets}?q={quote(choices(page)['Ben'])}")
    assert (query_of(found.path)["q"], "1 ticket" in found.text) == ("moss responsible:Ben", True)


@pytest.mark.parametrize(
    ("key", "query", "label", "after"),
    [
        ("state", "leak", "hold", "leak state:hold"),
        ("state", "state:(new,open) leak", "hold", "state:hold leak"),
        ("state", "state:(new,open) leak", "new", "state:open leak"),
        ("state", "leak OR moss sort:title", "any closed state", "(leak OR moss) state:closed sort:title"),
        ("state", "-state:new", "new", "-state:new state:new"),
        ("state", "state:new", "Remove this filter", ""),
        ("assigned", "assigned:ME", "me", ""),
        ("assigned", "", "nobody", "responsible:none"),
        ("tagged", "tagged:wet", "dry", "tagged:wet tagged:dry"),
        ("tagged", "tagged:wet tagged:dry", "wet", "tagged:dry"),
        ("priority", "importance:>2", "Urgent", "importance:Urgent"),
        ("milestone", "", "none", "milestone:none"),
        ("created", "created:today", "this week", "created:'this week'"),
        ("due", "", "overdue", "due:overdue"),
        ("sort", "leak", "Number", "leak sort:number"),
        ("sort", "sort:number", "Number ↑", "sort:number-"),
        ("sort", "sort:number", "Changed", ""),
    ],
)
def test_a_choice_is_written_into_the_query(surfing, ada, tickets, key, query, label, after):
    assert filtered(surfing(ada), tickets, key, query, label) == after.replace("'", '"')


def test_choices_are_narrowed_by_a_part_of_their_names(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/filter?key=state&find=hol")
    assert list(choices(page)) == ["hold"]
    assert "No matches" in surfing(ada).get(f"{tickets}/filter?key=state&find=xyz").text


def test_a_group_is_kept_where_the_layout_of_the_list_is(surfing, ada, tickets, roof):
    web = surfing(ada)
    view = ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Wet", "query": "tagged:wet"}}).item[
        "id"
    ]
    for query, kept, name in (
        ("moss", f"/profile/lists/{roof}", "list_settings"),
        ("tagged:wet", f"/projects/{roof}/bins/{view}", "ticket_bin"),
    ):
        page = web.get(f"{tickets}/filter?key=group&q={query}")
        page = web.submit(page, kept, **{f"{name}[group]": "state"})
        assert query_of(page.path)["q"] == query
        assert (ada.get(kept).item["group"], 'class="group"' in page.source) == ("state", True)


def test_visitors_filter_what_they_see_and_keep_no_group(surfing, ada, harbour, nobody):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    web = surfing()
    for place in (f"/projects/{harbour}/tickets", "/tickets"):
        page = web.get(f"{place}/filter")
        assert ("key=state" in page.source, "key=group" in page.source) == (True, False)
        assert filtered(web, place, "state", "buoy", "new") == "buoy state:new"


def test_a_filter_that_does_not_exist_and_a_project_that_is_hidden_are_not_found(surfing, ada, cy, tickets):
    page = surfing(ada).get(f"{tickets}/filter?key=colour")
    assert (page.status, "filters are state, responsible" in page.text) == (404, True)
    assert surfing(cy).get(f"{tickets}/filter?key=state").status == 404


def test_a_query_with_a_mistake_is_not_changed(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/filter?key=state&q=stat:new")
    assert (page.status, "correct it first" in page.text, choices(page)) == (200, True, {})


@pytest.mark.parametrize(
    ("back", "place"), [("/board", "board"), ("/elsewhere", "tickets"), ("//evil", "tickets")]
)
def test_the_choice_leads_back_to_the_list_or_the_board(surfing, ada, tickets, roof, back, place):
    back = f"/projects/{roof}/board?q=x" if back == "/board" else back
    source = surfing(ada).get(f"{tickets}/filter?key=state&next={quote(back)}").source
    assert f'<form action="/projects/{roof}/{place}">' in source


@pytest.mark.parametrize(
    ("query", "key", "at", "after"),
    [
        ("leak -tagged:wet tagged:dry", "tagged", 5, "leak -tagged:dry tagged:dry"),
        ("leak state:new", "state", 7, "leak state:hold"),
        ("(state:new OR leak)", "state", 1, "(state:hold OR leak)"),
        ("reported_by:me leak", "reported_by", 0, "reported_by:Ben leak"),
    ],
)
def test_a_chip_is_changed_where_it_stands(surfing, ada, tickets, query, key, at, after):
    ada.put(f"{tickets}/1", {"ticket": {"tag": "wet dry"}})
    page = surfing(ada).get(f"{tickets}/filter?q={quote(query)}&key={key}&at={at}")
    assert f'name="q" value="{after}"' in page.source.replace("&#34;", '"')


@pytest.mark.parametrize(
    ("query", "key", "at", "left"),
    [
        ("leak -tagged:wet tagged:dry", "tagged", 5, "leak tagged:dry"),
        ("updated:today leak", "updated", 0, "leak"),
        ("leak sort:due", "sort", 5, "leak"),
        ("𝕏 title:wet x", "title", 2, "𝕏 x"),
    ],
)
def test_a_chip_is_removed_by_itself(surfing, ada, tickets, query, key, at, left):
    page = surfing(ada).get(f"{tickets}/filter?q={quote(query)}&key={key}&at={at}")
    assert f'<button name="q" value="{left}" data-removes>' in page.source
    for offset in ("x", "-1", "9999"):
        assert surfing(ada).get(f"{tickets}/filter?q={quote(query)}&key={key}&at={offset}").status == 200
