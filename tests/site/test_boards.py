"""Boards: the tickets of a query in columns."""

import re
from html import unescape
from urllib.parse import quote

import pytest

from skerry.database.transactions import Transaction
from skerry.tracker import board_columns, boards
from tests.support.browser_client import query_of

pytestmark = pytest.mark.matrix("databases")


@pytest.fixture
def tickets(ada, ben, roof):
    """Tickets 1 to 4, which differ in everything; gives the address of their project."""
    for title, state, importance, person in (
        ("Leak", "new", 4, None),
        ("Moss", "open", 3, ben),
        ("Tile", "resolved", 0, ada),
        ("Rope", "open", 7, ben),
    ):
        ticket = {"title": title, "state": state, "importance": importance, "tag": title.lower()}
        ticket["assigned_user_id"] = person and person.user_id
        assert ada.post(f"/projects/{roof}/tickets", {"ticket": ticket}).status == 201
    return f"/projects/{roof}"


def columns(page):
    """Return the numbers of the tickets in each column, by its heading and count."""
    found = {}
    for part in page.source.split('<section class="column"')[1:]:
        heading = re.sub(r"<text.*?</text>|<[^>]+>", " ", part.partition("<h2")[2].partition("</h2>")[0])
        name = " ".join(unescape(heading.partition(">")[2]).split())
        found[name] = [int(number) for number in re.findall(r'data-row="\d+/(\d+)/', part)]
    return found


def link(page, text):
    return next(href for href, said in page.reading.links if said.strip() == text)


def test_a_board_has_a_column_for_each_state_in_the_order_of_the_project(surfing, ben, tickets):
    page = surfing(ben).get(f"{tickets}/board")
    assert page.status == 200
    assert columns(page) == {"new 1": [1], "open 2": [4, 2], "resolved 1": [3], "hold 0": [], "invalid 0": []}
    assert [*columns(page)] == ["new 1", "open 2", "resolved 1", "hold 0", "invalid 0"]
    assert "4 tickets" in page.text


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("assigned", {"nobody 1": [1], "Ada 1": [3], "Ben 2": [4, 2]}),
        ("priority", {"Urgent 1": [1], "High 1": [2], "No priority 1": [3], "Others 1": [4]}),
        ("milestone", {"Spring 1": [2], "No milestone 2": [3, 1], "Others 1": [4]}),
    ],
)
def test_columns_by_other_values_are_those_of_the_project_and_the_rest(
    surfing, ada, tickets, group, expected
):
    spring, past = (
        ada.post(f"{tickets}/milestones", {"milestone": {"title": title}}).item["id"]
        for title in ("Spring", "Past")
    )
    ada.put(f"{tickets}/tickets/2", {"ticket": {"milestone_id": spring}})
    ada.put(f"{tickets}/tickets/4", {"ticket": {"milestone_id": past}})
    ada.put(f"{tickets}/milestones/{past}/close")
    found = columns(surfing(ada).get(f"{tickets}/board?group={group}&q=sort:number-"))
    assert {name: numbers for name, numbers in found.items() if numbers} == expected


def test_a_board_shows_what_a_query_finds_in_its_order(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}/board?q={quote('state:open -state:new sort:number')}")
    assert columns(page)["open 2"] == [2, 4]
    assert columns(page)["new 0"] == []
    page = web.submit(page, f"{tickets}/board", "get", q="moss OR tile")
    assert [numbers for numbers in columns(page).values() if numbers] == [[2], [3]]


def test_a_list_and_its_board_lead_to_each_other(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}/tickets?q=state:open")
    page = web.get(next(href for href in page.links if href.startswith(f"{tickets}/board?")))
    assert [query_of(page.path)["q"], columns(page)["resolved 0"]] == ["state:open", []]
    page = web.get(link(page, "List"))
    assert (page.path.partition("?")[0], query_of(page.path)["q"]) == (f"{tickets}/tickets", "state:open")
    assert link(web.get(tickets), "Board") == f"{tickets}/board"


def test_a_column_shows_some_tickets_and_leads_to_all(surfing, ada, tickets, monkeypatch):
    monkeypatch.setattr(boards, "CARDS", 1)
    web = surfing(ada)
    page = web.get(f"{tickets}/board?q=leak+OR+moss+OR+rope")
    assert columns(page)["open 2"] == [4]
    page = web.get(link(page, "Show more"))
    assert re.findall(r'data-row="\d+/(\d+)/', page.source) == ["4", "2"]


def test_a_board_has_few_columns_and_one_for_the_others(surfing, ada, tickets, monkeypatch):
    monkeypatch.setattr(board_columns, "MAX", 2)
    page = surfing(ada).get(f"{tickets}/board")
    assert columns(page) == {"new 1": [1], "invalid 0": [], "Others 3": [4, 3, 2]}


def test_a_state_that_is_called_as_all_open_ones_has_only_its_own(surfing, ada, tickets):
    settings = {"open_states": "open/aaa\nwaiting/bbb", "closed_states": "closed/0a0\nresolved/0b0"}
    ada.put(f"{tickets}/settings", {"settings": settings})
    ada.put(f"{tickets}/tickets/2", {"ticket": {"state": "waiting"}})
    ada.put(f"{tickets}/tickets/3", {"ticket": {"state": "closed"}})
    page = surfing(ada).get(f"{tickets}/board?q=sort:number")
    assert columns(page) == {"open 1": [4], "waiting 1": [2], "new 1": [1], "closed 1": [3], "resolved 0": []}


def test_projects_share_a_column_for_what_they_call_the_same(surfing, ada, ben, tickets, harbour):
    project = f"/projects/{harbour}"
    values = {}
    for place in (tickets, project):
        made = ada.post(f"{place}/milestones", {"milestone": {"title": "Spring"}}).item
        values[made["project_id"]] = made["id"]
    ada.put(f"{project}/settings", {"settings": {"open_states": "New/f17\nsailing/00f"}})
    ada.post(
        f"{project}/tickets", {"ticket": {"title": "Buoy", "state": "New", "milestone_id": values[harbour]}}
    )
    web = surfing(ada)
    found = columns(web.get("/board"))
    assert (found["New 2"], found["sailing 0"]) == ([1, 1], [])
    page = web.get("/board?group=milestone")
    assert columns(page)["Spring 1"] == [1]
    for project_id, milestone in values.items():
        assert f'data-value-{project_id}="{milestone}"' in page.source
    assert "Harbour" in page.source.partition('id="board"')[2]
    assert columns(surfing(ben).get("/board"))["New 2"] == [1, 1]


def test_only_those_who_may_change_a_ticket_can_move_its_card(
    surfing, ada, ben, cy, nobody, tickets, harbour
):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Buoy"}})
    seen = re.compile(r'data-row="(\d+)/\d+/\d+" data-seen=')
    roof = tickets.rpartition("/")[2]
    assert set(seen.findall(surfing(ada).get("/board").source)) == {roof, str(harbour)}
    for client in (cy, None):
        page = surfing(client).get("/board")
        assert (page.status, seen.findall(page.source), "data-own-key" in page.source) == (200, [], False)
    ada.put(tickets, {"project": {"archived": True}})
    assert set(seen.findall(surfing(ben).get("/board").source)) == {str(harbour)}
    assert surfing(cy).get(f"{tickets}/board").status == 404


def test_without_scripts_a_card_is_moved_on_the_page_of_its_field_and_back(surfing, ben, tickets):
    web = surfing(ben)
    page = web.get(f"{tickets}/board?q=moss")
    page = web.get(link(page, "Move"))
    page = web.submit(page, f"{tickets}/tickets/2", **{"ticket[state]": "hold"})
    assert page.path.startswith(f"{tickets}/board?q=moss&changed=")
    assert columns(page)["hold 1"] == [2]
    page = web.press(page, "Undo")
    assert columns(page)["open 1"] == [2]


def test_mistakes_in_a_board_are_told_as_in_a_list(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}/board?q=stat:new")
    assert (page.status, "Unknown keyword" in page.text, columns(page)) == (200, True, {})
    page = web.get(f"{tickets}/board?group=age")
    assert page.status == 422
    assert "Group cannot be 'age'; a board takes state, responsible, milestone, importance" in page.text
    assert web.get(f"{tickets}/board?q=milestone:next").status == 422


def test_a_board_is_grouped_and_ordered_as_its_reader_keeps_the_list(surfing, ada, tickets):
    own = tickets.replace("/projects/", "/profile/lists/")
    ada.put(own, {"list_settings": {"group": "responsible", "sort": "number"}})
    assert columns(surfing(ada).get(f"{tickets}/board"))["Ben 2"] == [2, 4]
    ada.put(own, {"list_settings": {"group": "project"}})
    assert "open 2" in columns(surfing(ada).get(f"{tickets}/board"))


def test_an_empty_board_says_what_belongs_there(surfing, ada, roof):
    page = surfing(ada).get(f"/projects/{roof}/board")
    assert "Tickets become cards here" in page.text
    assert f"/projects/{roof}/tickets/new" in page.links
    assert "No ticket matches" in surfing(ada).get(f"/projects/{roof}/board?q=moss").text


def test_a_column_takes_few_statements(surfing, ada, tickets, monkeypatch):
    monkeypatch.setattr(boards, "CARDS", 1)
    executed, bound, searched = [], Transaction._bound, Transaction.sql

    def noted(transaction, statement, values):
        executed.append(statement)
        return bound(transaction, statement, values)

    def noted_search(transaction, text, values):
        executed.append(text)
        return searched(transaction, text, values)

    web = surfing(ada)
    web.get(f"{tickets}/board")
    monkeypatch.setattr(Transaction, "_bound", noted)
    monkeypatch.setattr(Transaction, "sql", noted_search)
    page = web.get(f"{tickets}/board")
    assert len(columns(page)) == 5
    assert len(executed) <= 15 + 3 * 5, executed


def test_filters_of_a_board_lead_back_to_it(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(
        next(href for href in web.get(f"{tickets}/board?group=priority").links if "/filter?" in href)
    )
    page = web.submit(web.get(link(page, "State")), f"{tickets}/board", "get", q="state:open")
    assert [numbers for numbers in columns(page).values() if numbers] == [[1], [2], [4]]
    assert query_of(page.path)["group"] == "importance"


def test_the_choice_of_columns_is_kept_for_its_reader_or_in_the_saved_view(surfing, ada, ben, tickets):
    web = surfing(ben)
    ada.post(f"{tickets}/bins", {"bin": {"name": "Moss", "query": "moss", "shared": True}})
    for query, address in (
        ("", tickets.replace("/projects/", "/profile/lists/")),
        ("moss", f"{tickets}/bins/4"),
    ):
        page = web.get(f"{tickets}/board?q={query}")
        name = "ticket_bin" if query else "list_settings"
        page = web.submit(page, address, **{f"{name}[group]": "responsible"})
        assert page.path.startswith(f"{tickets}/board?q={query}")
        assert "Ben 2" in columns(web.get(f"{tickets}/board?q="))
        assert query or "open 2" in columns(surfing(ada).get(f"{tickets}/board?q="))
    assert "Ben 1" in columns(surfing(ada).get(f"{tickets}/board?q=moss"))


def test_a_board_has_the_counts_of_saved_views_beside_it(surfing, ada, tickets):
    side = surfing(ada).get(f"{tickets}/board").source.partition('id="main"')[0]
    assert re.findall(r"Open tickets</bdi></span>.*?class=\"count\">(\d+)", side, re.DOTALL) == ["3"]


def test_lists_by_state_have_its_columns_order(surfing, ada, tickets):
    states = {"open_states": "open/aaa\nnew/f17", "closed_states": "resolved/6a0\nhold/eb0\ninvalid/a30"}
    ada.put(f"{tickets}/settings", {"settings": states})
    ada.post(f"{tickets}/tickets", {"ticket": {"title": "Hose", "state": "hold"}})
    own = tickets.replace("/projects/", "/profile/lists/")
    ada.put(own, {"list_settings": {"group": "state", "sort": "number"}})
    web = surfing(ada)
    for place in (tickets, ""):
        page = web.get(f"{place}/tickets?q=sort:number")
        if place:
            assert re.findall(r'data-row="\d+/(\d+)/', page.source) == ["2", "4", "1", "3", "5"]
    assert [*columns(web.get(f"{tickets}/board"))] == ["open 2", "new 1", "resolved 1", "hold 1", "invalid 0"]


def test_queries_show_the_names_of_people_and_milestones_for_their_ids(
    surfing, ada, ben, tickets, monkeypatch
):
    spring = ada.post(f"{tickets}/milestones", {"milestone": {"title": "Spring rain"}}).item["id"]
    web = surfing(ada)
    page = web.get(f"{tickets}/tickets?q=" + quote(f"(responsible:{ben.user_id} OR milestone:id#{spring})"))
    field = page.source.partition('id="query"')[2]
    assert (
        unescape(field.partition('value="')[2].partition('"')[0])
        == 'responsible:Ben OR milestone:"Spring rain"'
    )
    monkeypatch.setattr(boards, "CARDS", 1)
    page = web.get(f"{tickets}/board?group=assigned")
    assert query_of(link(page, "Show more"))["q"] == "responsible:Ben"
    page = web.get(f"{tickets}/tickets?q=responsible:99")
    assert 'value="responsible:99"' in page.source
