"""The levels of importance, which each project names."""

import re

import pytest

from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.web.test_bulk_edit import edit, send, undo
from tests.web.test_settings import put

BOTH, FORMATS = map(pytest.mark.matrix, ("both", "formats"))

LEVELS = "9 Dire/c00\n4 Very   high / f80 # soon\n1 Low/888"


@pytest.fixture
def leveled(ada, roof, tickets):
    """Tickets of three levels, and one of a number without a name."""
    put(ada, roof, importance_levels=LEVELS)
    for title, importance in (("Roof", 9), ("Wall", 4), ("Door", 1), ("Gable", 7)):
        ada.post(tickets, {"ticket": {"title": title, "importance": importance}})
    return tickets


def titles(client, tickets, query):
    return [ticket["title"] for ticket in client.get(f"{tickets}?q={query}&sort").items]


@BOTH
def test_a_new_project_has_four_levels(ada, roof, tickets):
    made = ada.post(tickets, {"ticket": {"title": "Roof", "importance": 4}}).item
    other = ada.post(tickets, {"ticket": {"title": "Wall", "importance": 5}}).item
    assert (made["importance"], made["importance_name"], other["importance_name"]) == (4, "Urgent", None)
    lines = ada.get(f"/projects/{roof}/settings").item["importance_levels"].splitlines()
    assert [line.partition("/")[0] for line in lines] == ["4 Urgent", "3 High", "2 Medium", "1 Low"]


@BOTH
def test_the_name_stands_beside_the_number_wherever_a_ticket_is_shown(ada, leveled):
    ada.put(f"{leveled}/1", {"ticket": {"importance": 4, "importance_name": "Low"}})
    ticket = ada.get(f"{leveled}/1").item
    listed = {each["title"]: each["importance_name"] for each in ada.get(leveled).items}
    assert (ticket["importance"], ticket["importance_name"]) == (4, "Very high")
    assert [version["importance_name"] for version in ticket["versions"]] == ["Dire", "Very high"]
    assert ticket["versions"][1]["diffable_attributes"] == {"importance": 9}
    assert listed == {"Roof": "Very high", "Wall": "Very high", "Door": "Low", "Gable": None}


@BOTH
def test_a_renamed_level_is_renamed_everywhere_and_a_removed_one_leaves_the_number(ada, roof, leveled):
    def named():
        return {each["title"]: each["importance_name"] for each in ada.get(leveled).items}

    assert named()["Roof"] == "Dire"
    put(ada, roof, importance_levels="9 Blocker/c00")
    assert named() == {"Roof": "Blocker", "Wall": None, "Door": None, "Gable": None}
    assert [ticket["importance"] for ticket in ada.get(f"{leveled}?q=sort:importance").items] == [9, 7, 4, 1]
    assert (titles(ada, leveled, "importance:blocker"), titles(ada, leveled, "importance:dire")) == (
        ["Roof"],
        [],
    )


@BOTH
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("importance:dire", ["Roof"]),
        ("priority:DIRE", ["Roof"]),
        ("importance:'very high'", ["Wall"]),
        ("importance:>low sort:number", ["Roof", "Wall", "Gable"]),
        ("importance:'>=very high' sort:number", ["Roof", "Wall", "Gable"]),
        ("importance:(low,7) sort:number", ["Door", "Gable"]),
        ("-importance:low sort:number", ["Roof", "Wall", "Gable"]),
        ("importance:unheard", []),
        ("-importance:unheard sort:number", ["Roof", "Wall", "Door", "Gable"]),
    ],
)
def test_tickets_are_found_by_the_name_of_their_level(ada, leveled, query, found):
    assert titles(ada, leveled, query) == found


@BOTH
def test_a_search_over_projects_takes_each_by_its_own_levels(ada, harbour, leveled):
    there = f"/projects/{harbour}/tickets"
    for title, importance in (("Keel", 3), ("Mast", 1)):
        ada.post(there, {"ticket": {"title": title, "importance": importance}})
    put(ada, harbour, importance_levels="3 Dire/c00\n1 Dull/888")
    found = ada.get("/tickets?q=importance:dire").items
    assert {ticket["title"] for ticket in found} == {"Roof", "Keel"}


@BOTH
def test_a_command_sets_a_level_by_its_name_and_can_be_undone(ada, ben, roof, leveled):
    edited = edit(ben, roof, "importance:low", "importance:'very high'")
    assert titles(ada, leveled, "importance:4 sort:number") == ["Wall", "Door"]
    assert undo(ben, edited).status == 201
    ada.put(f"{leveled}/2", {"ticket": {"body": "Now [priority:dire]"}})
    assert titles(ada, leveled, "importance:dire sort:number") == ["Roof", "Wall"]


@FORMATS
def test_a_command_with_an_unknown_level_is_refused(ada, ben, roof, leveled):
    answer = send(ben, roof, "all", "importance:unheard")
    assert (answer.status, answer.errors) == (422, ["There is no importance 'unheard'"])


@BOTH
def test_a_moved_ticket_keeps_its_number(ada, roof, harbour, leveled):
    edit(ada, roof, "importance:1", f"project:{harbour}")
    moved = ada.get(f"/projects/{harbour}/tickets/1").item
    assert (moved["importance"], moved["importance_name"]) == (1, "Low")
    edit(ada, roof, "importance:9", f"project:{harbour}")
    moved = ada.get(f"/projects/{harbour}/tickets/2").item
    assert (moved["importance"], moved["importance_name"]) == (9, None)


@FORMATS
@pytest.mark.parametrize(
    ("levels", "problem"),
    [
        ("High/f80", "line 1: write a number, a name, a slash and 3 or 6 hex digits, as in 3 High/c2570c"),
        ("\n3 4/f80", "line 2: write a number, a name, a slash and 3 or 6 hex digits, as in 3 High/c2570c"),
        ("3 >high/f80", "line 1: write a number, a name, a slash and 3 or 6 hex digits, as in 3 High/c2570c"),
        ("3 High/ff", "line 1: write a number, a name, a slash and 3 or 6 hex digits, as in 3 High/c2570c"),
        ("0 High/f80", "line 1: the number must be from 1 to 2147483647"),
        ("2147483648 High/f80", "line 1: the number must be from 1 to 2147483647"),
        ("3 None/f80", "line 1: none means no importance; write another name"),
        (f"3 {'x' * 51}/f80", "line 1: the name is too long (at most 50 characters)"),
        ("3 High/f80\n3 Higher/f80", "must have different numbers and names"),
        ("3 High/f80\n4 HIGH/f80", "must have different numbers and names"),
        ("\n".join(f"{number} L{number}/f80" for number in range(1, 22)), "can have at most 20 lines"),
        ("#" * 2001, "are too long (at most 2000 characters)"),
    ],
)
def test_levels_that_cannot_be_told_apart_or_read_are_refused(ada, roof, levels, problem):
    before = ada.get(f"/projects/{roof}/settings").item["importance_levels"]
    answer = put(ada, roof, importance_levels=levels)
    assert (answer.status, answer.errors) == (422, [f"Importance levels {problem}"])
    assert ada.get(f"/projects/{roof}/settings").item["importance_levels"] == before


def test_a_project_without_levels_has_numbers(world, ada, roof, leveled):
    assert put(ada, roof, importance_levels=None).status == 200
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    page = web.get(f"{leveled}/new")
    assert 'name="ticket[importance]" autocomplete="off" type="number"' in page.source


def test_completions_name_the_levels(ada, roof, leveled):
    offered = ada.get(f"/projects/{roof}/query/suggest?q=importance:&caret=11").items
    assert [each["text"].replace('"', "'") for each in offered] == ["none", "Dire", "'Very high'", "Low"]


def test_pages_say_priority_with_the_name(world, ada, roof, leveled):
    ada.put(f"{leveled}/1", {"ticket": {"importance": 1}})
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    form = web.get(f"{leveled}/new?ticket[importance]=1")
    assert '<option value="1" selected>Low</option>' in form.source
    assert "Dire → Low" in web.get(f"{leveled}/1").text
    preview = web.get(f"/projects/{roof}/bulk_edits/new?query=number:2&command=priority:low")
    assert "Priority: Very high → Low" in preview.text
    listed = web.get(leveled)
    assert "Very high" in listed.text


def test_the_settings_page_shows_the_levels(world, ada, roof):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ada.email, PASSWORD)
    address = f"/projects/{roof}/settings"
    page = web.submit(web.get(address), address, "put", **{"settings[importance_levels]": LEVELS})
    names = re.findall(r'name="levels\[\d*\]\[name\]" value="([^"]+)"', page.source)
    assert [" ".join(name.split()) for name in names] == ["Dire", "Very high", "Low"]
