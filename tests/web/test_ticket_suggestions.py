"""Suggestions of tickets after a # in a text."""

from urllib.parse import quote

import pytest

pytestmark = pytest.mark.matrix("both")


def suggested(client, tickets, typed):
    answer = client.get(f"{tickets}/suggest?q={quote(typed)}")
    assert answer.status == 200
    assert {(item["start"], item["end"]) for item in answer.items} <= {(0, len(typed))}
    return [item["text"] for item in answer.items]


def test_tickets_are_found_by_the_words_of_their_titles(ada, tickets):
    for title in ("Leak in the roof", "A leaking boat", "Roof tiles", "漏れ"):
        assert ada.post(tickets, {"ticket": {"title": title, "body": "roof"}}).status == 201
    expected = {"leak": ["#2", "#1"], "roof le": ["#1"], "leak ": ["#1"], "ROOF": ["#3", "#1"], "漏": ["#4"]}
    for typed, texts in {**expected, "": ["#4", "#3", "#2", "#1"], "boat tiles": []}.items():
        assert suggested(ada, tickets, typed) == texts
    assert ada.get(f"{tickets}/suggest?q=tiles").items[0]["description"] == "Roof tiles"


def test_tickets_are_found_by_the_beginning_of_their_number(ada, tickets):
    for _ in range(12):
        ada.post(tickets, {"ticket": {"title": "Leak"}})
    assert suggested(ada, tickets, "1") == ["#1", "#10", "#11", "#12"]
    assert suggested(ada, tickets, "12") == ["#12"]
    assert suggested(ada, tickets, "9" * 30) == []
    assert len(suggested(ada, tickets, "")) == 10


def test_only_who_sees_the_project_is_told_of_its_tickets(world, ada, cy, roof, harbour, tickets):
    ada.post(tickets, {"ticket": {"title": "Secret leak"}})
    assert cy.get(f"{tickets}/suggest?q=secret").status == 404
    assert suggested(cy, f"/projects/{harbour}/tickets", "secret") == []


def completed(client, path, query):
    answer = client.get(f"{path}query/suggest?q={quote(query)}")
    assert answer.status == 200
    return [(item["text"], item["description"], item["end"]) for item in answer.items]


@pytest.mark.parametrize("key", ["parent", "blocks", "blocked-by", "duplicates", "relates-to", "not-child"])
def test_tickets_complete_the_keywords_of_links(ada, roof, tickets, key):
    for title in ("Leak in the roof", "Roof tiles"):
        ada.post(tickets, {"ticket": {"title": title}})
    at = f"/projects/{roof}/"
    for typed in ("1", "#1", "leak", '"roof le'):
        query = f"state:open {key}:{typed}"
        assert completed(ada, at, query) == [("#1", "Leak in the roof", len(query))]
    assert [text for text, *_ in completed(ada, at, f"{key}:")] == ["#2", "#1"]
    assert completed(ada, at, f"{key}:nowhere#1") == []


def test_tickets_of_other_projects_are_completed_with_the_word_of_their_project(ada, roof, cy, tickets):
    wall = ada.post("/projects", {"project": {"name": "Wall"}}).item["id"]
    for place, title in ((tickets, "Leak"), (f"/projects/{wall}/tickets", "Crack")):
        ada.post(place, {"ticket": {"title": title}})
    word = ada.get(f"/projects/{roof}").item["permalink"]
    assert [text for text, *_ in completed(ada, "/", "parent:")] == ["wall#1", f"{word}#1"]
    assert [text for text, *_ in completed(ada, f"/projects/{roof}/", "blocks:wall#")] == ["wall#1"]
    assert [each for each in completed(cy, "/", "parent:crack") if "wall" in each[0]] == []
