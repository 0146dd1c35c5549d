"""Searching in lists of tickets."""

from urllib.parse import quote

import pytest

from skerry.store import search
from skerry.store.search import finder
from tests.web.searching import found, open_ticket

pytestmark = pytest.mark.matrix("both")


def test_words_are_found_in_titles_texts_and_comments(ada, roof):
    open_ticket(ada, roof, "Leaky tiles")
    open_ticket(ada, roof, "Two", body="the TILES again")
    three = open_ticket(ada, roof, "Three")
    ada.put(f"/projects/{roof}/tickets/{three}", {"ticket": {"body": "new tiles, please"}})
    open_ticket(ada, roof, "Four")
    assert found(ada, roof, "tiles") == ["Three", "Two", "Leaky tiles"]
    assert found(ada, roof, "%22new+tiles%22") == ["Three"]
    assert found(ada, roof, "til*") == ["Three", "Two", "Leaky tiles"]
    assert found(ada, roof, "-tiles") == ["Four"]


def test_the_tickets_found_are_counted_anew_after_every_change(ada, ben, roof):
    queries = ("tiles", "tagged:wet", "state:new tiles", "tagged:wet responsible:none")

    def totals(client):
        paths = [f"/projects/{roof}/tickets?limit=1&q={quote(query)}" for query in queries]
        return [int(client.get(path).headers["x-total-count"]) for path in paths * 2]

    numbers = [0]
    for count in (1, 2, 3):
        numbers.append(open_ticket(ada, roof, "Leaky tiles", tag="wet"))
        assert totals(ada) == totals(ben) == [count] * 8
    ben.put(f"/projects/{roof}/tickets/{numbers[1]}", {"ticket": {"state": "open", "tag": "dry"}})
    assert totals(ada) == [3, 2, 2, 2] * 2


def beside(client, project_id, mine):
    """Return whether the one ticket is found by its tag as open and nobody's, or as closed and somebody's."""
    asked = ("tagged:wet+state:open+responsible:none", f"tagged:wet+state:closed+responsible:{mine}")
    return [bool(found(client, project_id, query)) for query in asked]


def test_a_tag_is_found_beside_what_its_ticket_is_now(ada, ben, roof):
    path = f"/projects/{roof}/tickets/{open_ticket(ada, roof, 'Leak', tag='wet')}"
    assert beside(ada, roof, "Ben") == [True, False]
    ada.put(path, {"ticket": {"state": "resolved", "assigned_user_id": ben.user_id}})
    assert beside(ada, roof, "Ben") == [False, True]
    ada.put(path, {"ticket": {"tag": "dry", "assigned_user_id": None}})
    assert beside(ada, roof, "Ben") == [False, False]
    ada.put(path, {"ticket": {"tag": "wet", "state": "new"}})
    assert beside(ada, roof, "Ben") == [True, False]


def test_a_tag_is_found_beside_what_edits_of_many_tickets_made_of_its_own(ada, ben, roof):
    open_ticket(ada, roof, "Leak", tag="wet", assigned_user_id=ben.user_id)
    ada.post("/projects", {"project": {"name": "Hull"}})
    states = {"open_states": "open/aaa", "closed_states": "new/f17\nold/6A0"}
    assert ada.put(f"/projects/{roof}/settings", {"settings": states}).status == 200
    assert beside(ada, roof, "Ben") == [False, True]
    edit = {"query": "tagged:wet", "command": "state:open responsible:none"}
    assert ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": edit}).status == 200
    assert beside(ada, roof, "Ben") == [True, False]
    edit["command"] = "project:hull state:resolved responsible:Ada"
    moved = ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": edit})
    assert moved.status == 200
    assert beside(ada, moved.item["moved_to"], "Ada") == [False, True]


def test_edited_and_deleted_texts_are_found_by_their_present_words(ada, roof):
    number = open_ticket(ada, roof, "One", body="alpha")
    path = f"/projects/{roof}/tickets/{number}"
    ada.put(path, {"ticket": {"body": "gamma"}})
    ada.put(f"{path}/versions/1", {"version": {"body": "beta"}})
    assert (found(ada, roof, "alpha"), found(ada, roof, "beta")) == ([], ["One"])
    ada.delete(f"{path}/versions/2")
    assert found(ada, roof, "gamma") == []
    ada.delete(path)
    assert found(ada, roof, "beta") == []


def test_keywords_narrow_the_list(ada, ben, roof):
    one = open_ticket(ada, roof, "One", tag="rain urgent", assigned_user_id=ben.user_id)
    open_ticket(ben, roof, "Two", tag="rain", importance=3)
    ada.put(f"/projects/{roof}/tickets/{one}", {"ticket": {"state": "resolved"}})
    assert found(ada, roof, "state:open") == ["Two"]
    assert found(ada, roof, "state:resolved+tagged:rain") == ["One"]
    assert found(ada, roof, "tagged:rain+tagged:urgent") == ["One"]
    assert found(ben, roof, "responsible:me") == ["One"]
    assert found(ada, roof, "responsible:none") == ["Two"]
    assert found(ada, roof, "reported_by:Ben+OR+tagged:urgent") == ["One", "Two"]
    assert found(ada, roof, "importance:%3E2") == ["Two"]
    assert found(ada, roof, "created:today+sort:title") == ["One", "Two"]
    assert found(ada, roof, "created:today+sort:title-") == ["Two", "One"]


def test_tickets_changed_at_one_moment_come_as_the_next_order_says(ada, roof):
    for title in ("Ropes", "Anchor", "Oars"):
        open_ticket(ada, roof, title)
    ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": {"query": "all", "command": "tagged:wet"}})
    open_ticket(ada, roof, "Sails")
    assert found(ada, roof, "sort:updated") == ["Sails", "Oars", "Anchor", "Ropes"]
    assert found(ada, roof, "sort:updated+sort:title") == ["Sails", "Anchor", "Oars", "Ropes"]
    assert found(ada, roof, "sort:(updated-,number)") == ["Ropes", "Anchor", "Oars", "Sails"]
    assert found(ada, roof, "sort:updated-") == ["Oars", "Anchor", "Ropes", "Sails"]


@pytest.mark.parametrize("named", ["responsible:0", "reported_by:00", "milestone:id%230"])
def test_zero_is_neither_a_person_nor_a_milestone(ada, roof, named):
    open_ticket(ada, roof, "One", tag="rain")
    for query in (named, f"{named}+OR+snow", f"tagged:rain+{named}", f"{named}+sort:title"):
        assert found(ada, roof, query) == [], query
    assert found(ada, roof, f"-{named}") == ["One"]


def test_the_account_wide_list_is_searched_in_what_the_caller_sees(ada, cy, roof, harbour):
    open_ticket(ada, roof, "Hidden storm")
    open_ticket(ada, harbour, "Public storm")
    assert [ticket["title"] for ticket in ada.get("/tickets?q=storm").items] == [
        "Public storm",
        "Hidden storm",
    ]
    assert [ticket["title"] for ticket in cy.get("/tickets?q=storm").items] == ["Public storm"]
    assert cy.get("/tickets?q=storm").headers["x-total-count"] == "1"


@pytest.mark.matrix("json")
@pytest.mark.parametrize("query", ["", "all", "+"])
def test_an_empty_query_and_all_match_everything(ada, roof, query):
    open_ticket(ada, roof, "One")
    assert found(ada, roof, query) == ["One"]


@pytest.mark.matrix("json")
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("stat:open", "Unknown keyword 'stat' at 1; did you mean 'state'?"),
        ("state:", None),
        ("%22open", None),
        ("(one", None),
        ("created:soonish", None),
    ],
)
def test_an_invalid_query_is_explained_with_its_position(ada, roof, query, said):
    answer = ada.get(f"/projects/{roof}/tickets?q={query}")
    assert answer.status == 422
    assert said is None or answer.errors == [said]


def test_a_page_of_results_has_its_position(ada, roof):
    for number in range(5):
        open_ticket(ada, roof, f"Leak {number}")
    answer = ada.get(f"/projects/{roof}/tickets?q=leak&limit=2&page=2")
    assert [ticket["title"] for ticket in answer.items] == ["Leak 2", "Leak 1"]
    assert answer.headers["x-total-count"] == "5"
    assert "x-total-count-exact" not in answer.headers
    assert all(f'rel="{name}"' in answer.headers["link"] for name in ("first", "prev", "next", "last"))


@pytest.mark.parametrize(("many", "total", "exact"), [(2, "2", None), (3, "3", None), (5, "3", "false")])
def test_a_total_is_exact_up_to_its_bound_and_names_no_last_page_beyond(
    ada, roof, monkeypatch, many, total, exact
):
    monkeypatch.setattr(search, "COUNTED", 3)
    for number in range(many):
        open_ticket(ada, roof, f"Leak {number}")
    answer = ada.get(f"/projects/{roof}/tickets?q=leak&limit=1")
    assert (answer.headers["x-total-count"], answer.headers.get("x-total-count-exact")) == (total, exact)
    assert 'rel="next"' in answer.headers["link"]
    assert ('rel="last"' in answer.headers["link"]) is (exact is None)


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE tickets; --",
        'title:"a" NEAR b* AND ^c {x}',
        "x" * 5000,
        "(" * 500,
        "\u202e\u05e9\u05dc\u05d5\u05dd\u202c",
        "a\\%_*?",
        "*",
        "tagged:%",
        "milestone:*%_",
        "number:99999999999999999999",
        "\x00",
        "-- -",
    ],
)
def test_hostile_queries_are_answered_or_refused(ada, roof, query):
    open_ticket(ada, roof, "One")
    for path in (f"/projects/{roof}/tickets", "/tickets"):
        assert ada.get(f"{path}?q={quote(query)}").status in (200, 400, 422)
    assert len(ada.get(f"/projects/{roof}/tickets").items) == 1


def test_tickets_with_the_words_in_their_titles_are_most_relevant(ada, roof):
    open_ticket(ada, roof, "Roof tiles")
    open_ticket(ada, roof, "Other", body="tiles of the roof")
    assert found(ada, roof, "roof+tiles") == ["Other", "Roof tiles"]
    assert found(ada, roof, "roof+tiles+sort:relevance") == ["Roof tiles", "Other"]
    assert found(ada, roof, "roof+tiles+sort:relevance-") == ["Other", "Roof tiles"]


def test_a_project_is_chosen_where_several_are_searched(ada, roof, harbour):
    open_ticket(ada, roof, "In the roof")
    open_ticket(ada, harbour, "In the harbour")
    for name in ("harbour", "Harbour", harbour):
        titles = [ticket["title"] for ticket in ada.get(f"/tickets?q=project:{name}").items]
        assert titles == ["In the harbour"]


def test_a_tag_beside_a_class_of_states_and_somebody_follows_every_change(ada, roof):
    asked = "state:open+responsible:me+tagged:gable"
    mine = {"state": "open", "tag": "gable drip", "assigned_user_id": ada.user_id}
    number = open_ticket(ada, roof, "Leak", **mine)
    assert found(ada, roof, asked) == ["Leak"]
    for changed in ({"state": "resolved"}, {"assigned_user_id": ""}, {"tag": "drip"}):
        for fields, titles in ((changed, []), (mine, ["Leak"])):
            assert ada.put(f"/projects/{roof}/tickets/{number}", {"ticket": fields}).status == 200
            answer = ada.get(f"/projects/{roof}/tickets?q={asked}")
            assert [ticket["title"] for ticket in answer.items] == titles
            assert answer.headers["x-total-count"] == str(len(titles))


def test_a_search_that_covers_only_the_tickets_changed_last_says_so(ada, roof, monkeypatch):
    for name in ("LOOKED_AT", "REACH", "NEAR", "FEW", "HANDFUL"):
        monkeypatch.setattr(finder, name, 1)
    titles = [f"Leak {number}" for number in range(3)]
    for title in titles:
        open_ticket(ada, roof, title)
    whole = ada.get(f"/projects/{roof}/tickets?q=state:open")
    assert "x-searched-since" not in whole.headers
    slow = ada.get(f"/projects/{roof}/tickets?q=-has:comments")
    assert [ticket["title"] for ticket in slow.items] == titles[:0:-1]
    assert slow.headers["x-searched-since"] == slow.items[-1]["updated_at"]
    assert slow.headers["x-total-count-exact"] == "false"
    page = ada.get(f"/projects/{roof}/tickets!?q=-has:comments", Accept="text/html").body.decode()
    day = slow.headers["x-searched-since"][:10]
    assert f"Only tickets changed since {day} were searched" in page
    assert f"add updated:&lt;={day}" in page
