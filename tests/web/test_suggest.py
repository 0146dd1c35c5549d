"""Suggestions while a query is typed."""

from urllib.parse import quote

import pytest

from skerry.languages import translator
from skerry.text.queries.query import parse
from skerry.text.queries.query_keys import KEYS
from skerry.tracker.suggestions import SAID
from tests.web.test_milestones import add, at


def suggest(client, project, query, caret=None):
    """Return what could stand at the caret, which is at the end if it is not given."""
    where = "" if caret is None else f"&caret={caret}"
    answer = client.get(f"/projects/{project}/query/suggest?q={quote(query)}{where}")
    assert answer.status == 200, answer.body
    return answer.items


def texts(client, project, query, caret=None):
    return [found["text"] for found in suggest(client, project, query, caret)]


def tag(client, project, *tags):
    for each in tags:
        answer = client.post(f"/projects/{project}/tickets", {"ticket": {"title": "Leak", "tag": each}})
        assert answer.status == 201


def test_at_the_beginning_stand_all_keywords(ada, roof):
    found = suggest(ada, roof, "")
    assert [each["text"] for each in found] == [*(f"{name}:" for name in KEYS), "sort:"]
    assert found[0] == {
        "text": "state:",
        "kind": "keyword",
        "description": KEYS["state"].finds,
        "start": 0,
        "end": 0,
    }


def test_keywords_are_found_by_how_they_begin_and_say_what_they_replace(ada, roof):
    assert texts(ada, roof, "leak T") == ["tagged:", "title:"]
    (found,) = suggest(ada, roof, "leak mile")
    assert (found["start"], found["end"]) == (5, 9)


def test_a_suggestion_replaces_the_whole_word_at_the_caret(ada, roof):
    (found,) = suggest(ada, roof, "responsable:me", 4)
    assert (found["text"], found["start"], found["end"]) == ("responsible:", 0, 12)


def test_states_follow_what_is_the_same_everywhere(ada, roof):
    found = suggest(ada, roof, "state:")
    assert [each["text"] for each in found] == ["open", "closed", "new", "resolved", "hold", "invalid"]
    assert [each["kind"] for each in found[:3]] == ["value", "value", "state"]
    assert found[4]["description"] == "closed"
    assert texts(ada, roof, "-state:(new,HO") == ["hold"]


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("key", ["responsible", "assigned", "reported_by", "watched", "commented_by"])
def test_members_of_the_project_are_suggested(ada, ben, roof, key):
    ben.post("/profile", {"user": {"name": "Ben Nevis", "job": "Roofer"}})
    found = suggest(ada, roof, f"{key}:b")
    assert [(each["text"], each["kind"], each["description"]) for each in found] == [
        ('"Ben Nevis"', "person", "Roofer")
    ]
    assert "me" in texts(ada, roof, f"{key}:")


@pytest.mark.matrix("databases")
def test_milestones_stand_in_the_order_in_which_they_are_due(ada, roof):
    later, first = (
        add(ada, roof, "Later", due_on="2031-01-01"),
        add(ada, roof, "First: 'o'", due_on="2030-01-01"),
    )
    ada.put(f"{at(later)}/close")
    found = suggest(ada, roof, "milestone:")
    assert [each["text"] for each in found] == ["next", "none", "\"First: 'o'\"", "Later"]
    assert [each["description"] for each in found[2:]] == ["open", "closed"]
    assert first["title"] == "First: 'o'"


@pytest.mark.matrix("databases")
def test_tags_are_listed_by_use_and_can_be_inserted(ada, roof):
    tag(ada, roof, "wet", "wet, dry rot", "dry rot, wet, wind", "old")
    assert texts(ada, roof, "tagged:") == ["wet", '"dry rot"', "old", "wind"]
    assert texts(ada, roof, "tagged:W") == ["wet", "wind"]
    assert texts(ada, roof, 'tagged:"dry r') == ['"dry rot"']


@pytest.mark.matrix("databases")
def test_tags_are_found_by_letters_that_another_case_has_no_single_one_for(ada, roof):
    tag(ada, roof, "Straße")
    assert texts(ada, roof, "tagged:Straß") == ["straße"]


@pytest.mark.matrix("databases")
def test_names_are_suggested_however_their_accents_are_typed(ada, ben, roof):
    ben.post("/profile", {"user": {"name": "Zoe\u0301"}})
    add(ada, roof, "Été")
    tag(ada, roof, "éclair")
    assert ada.put(f"/projects/{roof}/settings", {"settings": {"open_states": "évalué/fff"}}).status == 200
    assert texts(ada, roof, "responsible:Zoé") == ["Zoe\u0301"]
    for key, name in (("milestone", "Été"), ("tagged", "éclair"), ("state", "évalué")):
        assert texts(ada, roof, f"{key}:e\u0301") == texts(ada, roof, f"{key}:É") == [name]


def test_no_more_than_twenty_are_suggested_and_each_once(ada, roof):
    tag(ada, roof, " ".join(f"t{number}" for number in range(60)), "t42")
    found = texts(ada, roof, "tagged:t")
    assert (len(found), len(set(found)), found[0]) == (20, 20, "t42")


@pytest.mark.matrix("databases")
def test_rare_tags_are_found_beyond_the_newest_tickets(ada, roof, monkeypatch):
    tag(ada, roof, "Zinc", "zinc", "zebra")
    monkeypatch.setattr("skerry.store.tags._RECENT", 1)
    assert sorted(texts(ada, roof, "tagged:z")) == ["zebra", "zinc"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sort:up", ["updated"]),
        ("has:", ["attachment", "comments", "children"]),
        ("created:'this w", ['"this week"']),
        ("due:n", ['"next week"', '"next month"', '"next year"', "none"]),
        ("title:", []),
        ("nokey:", []),
        ("state:open 12", []),
    ],
)
def test_other_values_are_the_same_in_every_project(ada, roof, query, found):
    assert texts(ada, roof, query) == found


def test_every_suggestion_makes_a_valid_query(ada, roof):
    tag(ada, roof, "dry rot, o'clock, c++, :host")
    add(ada, roof, 'The "last" one')
    for key in ("state", "responsible", "milestone", "tagged", "created"):
        for text in texts(ada, roof, f"{key}:"):
            assert parse(f"{key}:{text}")


@pytest.mark.parametrize("caret", ["soon", "1.5", "true"])
def test_a_caret_that_is_no_number_is_refused(ada, roof, caret):
    answer = ada.get(f"/projects/{roof}/query/suggest?q=a&caret={caret}")
    assert (answer.status, answer.errors) == (422, ["Caret must be a whole number"])


def test_a_caret_outside_the_query_is_at_its_end_or_beginning(ada, roof):
    assert texts(ada, roof, "sta", 999) == ["state:"]
    assert texts(ada, roof, "state:x", -5)[0] == "state:"


def test_a_query_that_is_too_long_is_refused(ada, roof):
    assert ada.get(f"/projects/{roof}/query/suggest?q={'a' * 2001}").status == 422


def test_suggestions_are_for_everybody_who_sees_the_project(nobody, cy, roof, harbour):
    assert texts(nobody, harbour, "state:n") == ["new"]
    assert cy.get(f"/projects/{roof}/query/suggest?q=a").status == 404


def test_without_anything_that_fits_the_list_is_empty(ada, roof):
    answer = ada.get(f"/projects/{roof}/query/suggest?q=tagged:zzz")
    assert (list(answer.data), answer.items) == (["suggestions"], [])


@pytest.mark.matrix("databases")
def test_a_search_over_all_projects_has_the_names_of_those_that_are_seen(ada, cy, roof, harbour):
    tag(ada, roof, "wet")
    tag(ada, harbour, "windy")
    add(ada, harbour, "Spring")

    def everywhere(client, query):
        return sorted(found["text"] for found in client.get(f"/query/suggest?q={quote(query)}").items)

    assert everywhere(ada, "tagged:w") == ["wet", "windy"]
    assert everywhere(cy, "tagged:w") == ["windy"]
    assert everywhere(cy, "milestone:s") == ["Spring"]
    assert everywhere(cy, "project:") == ["Harbour"]
    assert everywhere(ada, "state:n") == ["new"]


def test_nobody_gets_suggestions_if_nothing_is_public(nobody, cy, roof):
    assert nobody.get("/query/suggest?q=a").status == 401
    assert cy.get("/query/suggest?q=tagged:").items == []


def test_descriptions_are_in_the_language_that_is_sent(ada, roof):
    address = f"/projects/{roof}/query/suggest?language=de&q="
    said = {each["text"]: each["description"] for each in ada.get(f"{address}responsible:").items}
    assert (said["me"], said["none"], said["Ben"]) == ("du", "niemand oder nichts", "")
    assert ada.get(f"{address}sort:imp").items[0]["description"] == "nach Priorität"
    answer = ada.get(f"/projects/{roof}/query/suggest?language=tlh")
    assert (answer.status, answer.errors) == (422, ["Language is not one of en, de"])


def test_everything_that_descriptions_say_is_translated():
    assert all(translator("de")(each) != each for each in SAID)
