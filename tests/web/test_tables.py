"""Lists of tickets as CSV."""

import csv

import pytest

from skerry.web.responses import tables

pytestmark = pytest.mark.matrix("databases")


def rows(client, path, status=200):
    answer = client.get(path)
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    text = answer.body.decode()
    assert text.startswith("\ufeff")
    return list(csv.reader(text[1:].splitlines()))


def opened(client, tickets, title, **fields):
    assert client.post(tickets, {"ticket": {"title": title, **fields}}).status == 201


def test_a_list_is_a_table_with_fixed_columns_and_no_texts(ada, ben, tickets):
    opened(ada, tickets, 'Leck, "groß"', body="Rain", tag="wet", assigned_user_id=ben.user_id, importance=3)
    head, row = rows(ada, f"{tickets}.csv")
    found = dict(zip(head, row, strict=True))
    assert head[:5] == ["project_id", "number", "title", "state", "closed"]
    assert (found["title"], found["assigned_user_name"], found["tag"]) == ('Leck, "groß"', "Ben", "wet")
    assert (found["closed"], found["importance"], found["milestone_title"]) == ("false", "3", "")
    assert found["url"].endswith(f"{tickets}/1")
    assert "Rain" not in row
    assert ada.get(f"{tickets}.csv").headers["content-disposition"] == 'attachment; filename="tickets.csv"'


def test_a_table_has_every_ticket_that_the_query_finds_and_the_reader_sees(
    ada, ben, cy, nobody, tickets, monkeypatch
):
    monkeypatch.setattr("skerry.tracker.tickets.AT_ONCE", 10)
    hers = ada.post("/projects", {"project": {"name": "Vault"}}).item["id"]
    for number in range(35):
        opened(ada, tickets, f"Leak {number}", tag="wet" if number else "")
    opened(ada, f"/projects/{hers}/tickets", "Gold")
    assert len(rows(ada, f"{tickets}.csv?limit=5")) == 36
    assert len(rows(ada, f"{tickets}.csv?q=tagged:wet+sort:number")) == 35
    assert rows(ada, f"{tickets}.csv?q=sort:number")[1][2] == "Leak 0"
    assert (len(rows(ada, "/tickets.csv")), len(rows(ben, "/tickets.csv"))) == (37, 36)
    assert (cy.get(f"{tickets}.csv").status, nobody.get(f"{tickets}.csv").status) == (404, 401)
    assert ada.get(f"{tickets}.csv?q=stat:x").status == 422


def test_a_table_that_is_cut_says_so_in_its_last_line(ada, tickets, monkeypatch):
    monkeypatch.setattr(tables, "MAX", 2)
    for number in range(2):
        opened(ada, tickets, f"Leak {number}")
    assert len(rows(ada, f"{tickets}.csv")) == 3
    opened(ada, tickets, "Leak 2")
    *some, last = rows(ada, f"{tickets}.csv")
    assert (len(some), last) == (3, ["There are more tickets; this file has the first 2"])


@pytest.mark.parametrize("title", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_no_cell_is_a_formula(ada, tickets, title):
    opened(ada, tickets, title)
    assert rows(ada, f"{tickets}.csv")[1][2] == f"'{title}"


def test_only_lists_of_tickets_are_tables(ada, ben, roof, tickets):
    opened(ada, tickets, "Leak")
    for path in (f"/projects/{roof}/milestones", f"{tickets}/1", "/projects", "/activity"):
        assert ada.get(f"{path}.csv").status == 406, path
