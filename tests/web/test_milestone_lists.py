"""Lists of milestones over HTTP: of a project, and of all visible projects."""

import json
import re

import pytest

from tests.web.test_milestones import add, at


@pytest.mark.matrix("both")
def test_milestones_are_listed_by_due_date_undated_last_then_title_closed_ones_too(ada, roof):
    for title, due_on in (
        ("b", None),
        ("Later", "2010-05-01"),
        ("A", None),
        ("é", None),
        ("z", None),
        ("Same day b", "2010-04-01"),
        ("same day A", "2010-04-01"),
        ("2.3.10", None),
        ("2.x", None),
        ("Long ago", "1950-01-01"),
    ):
        closed = add(ada, roof, title, due_on=due_on)
    ada.put(f"{at(closed)}/close")
    found = [milestone["title"] for milestone in ada.get(f"/projects/{roof}/milestones").items]
    assert found == [
        "Long ago",
        "same day A",
        "Same day b",
        "Later",
        "2.3.10",
        "2.x",
        "A",
        "b",
        "z",
        "é",
    ]


@pytest.mark.matrix("both")
def test_the_list_is_paged_and_says_so_in_its_body_and_headers(ada, roof):
    for number in range(31):
        add(ada, roof, f"Milestone {number:02}")
    first = ada.get(f"/projects/{roof}/milestones")
    assert [item["title"] for item in first.items] == [f"Milestone {number:02}" for number in range(30)]
    assert first.headers["x-total-count"] == "31"
    assert 'rel="next"' in first.headers["link"]
    second = ada.get(f"/projects/{roof}/milestones?page=2")
    assert [item["title"] for item in second.items] == ["Milestone 30"]
    assert pages(second) == (2, 2)
    assert pages(ada.get(f"/projects/{roof}/milestones?limit=4&page=3")) == (8, 3)
    assert ada.get(f"/projects/{roof}/milestones?page=0").status == 422


def pages(answer):
    """Return total_pages and current_page, which must stand after the items."""
    if answer.body.startswith(b"<"):
        end = rb"</milestone><total_pages>(\d+)</total_pages><current_page>(\d+)</current_page></milestones>"
        return tuple(map(int, re.search(end + rb"\Z", answer.body).groups()))
    data = json.loads(answer.body)
    assert list(data) == ["milestones", "total_pages", "current_page"]
    return data["total_pages"], data["current_page"]


@pytest.mark.matrix("both")
def test_an_empty_list_is_an_empty_list_of_its_own_name(ada, roof):
    add(ada, roof)
    path = f"/projects/{roof}/milestones"
    assert ada.get(f"{path}.xml?page=5").body.endswith(b'<milestones type="array"/>')
    empty = b'{"milestones":[],"total_pages":1,"current_page":5}'
    assert ada.get(f"{path}.json?page=5").body == empty


def test_the_list_of_the_account_holds_the_milestones_of_every_project_that_is_seen(
    ada, ben, cy, nobody, roof, harbour
):
    hidden = ada.post("/projects", {"project": {"name": "Hidden"}}).item["id"]
    add(ada, roof, "Second", due_on="2010-03-05")
    add(ada, harbour, "First", due_on="2010-03-04")
    add(ada, hidden, "Third")
    titles = [
        [item["title"] for item in client.get("/milestones").items] for client in (ada, ben, cy, nobody)
    ]
    assert titles == [["First", "Second", "Third"], ["First", "Second"], ["First"], ["First"]]
    assert pages(ada.get("/milestones?limit=2&page=2")) == (2, 2)
    assert ada.get("/milestones?limit=2&page=2").headers["x-total-count"] == "3"


def test_the_list_of_an_account_without_anything_public_asks_who_is_there(nobody, roof):
    assert nobody.get("/milestones").status == 401


@pytest.mark.matrix("both")
def test_the_open_and_the_closed_ones_can_be_asked_for_alone(ben, roof):
    late, soon, done, last = (
        add(ben, roof, title, due_on=due)
        for title, due in (
            ("Late", "2030-02-01"),
            ("Soon", "2030-01-01"),
            ("Done", "2029-01-01"),
            ("Last", None),
        )
    )
    for milestone in (last, done):
        ben.put(f"{at(milestone)}/close")
    for address in (f"/projects/{roof}/milestones", "/milestones"):
        titles = {
            state: [item["title"] for item in ben.get(f"{address}?state={state}").items]
            for state in ("open", "closed", "")
        }
        assert titles["open"] == ["Soon", "Late"]
        assert titles["closed"] == ["Done", "Last"]
        assert len(titles[""]) == len([late, soon, done, last])


def test_milestones_are_in_no_other_state(ben, roof):
    answer = ben.get(f"/projects/{roof}/milestones?state=lost")
    assert (answer.status, answer.errors) == (422, ["State must be open or closed"])
