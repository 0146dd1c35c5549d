"""The deep check: it finds each difference in redundant data."""

import os
import re
import sqlite3
import sys
import time
from contextlib import closing

import pytest
from sqlalchemy import text

from skerry.cli import main
from skerry.database.statements import Statement
from skerry.store.checks.recount import recount
from skerry.store.checks.recount_sums import SUMS
from skerry.store.search import index as search_index
from skerry.tracker.auth import setup_links
from tests.support import migrated_databases
from tests.support.instances import live, open_with_file, world_in


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def instance_of_its_own(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recount")
    world = world_in(folder, migrated_databases.at(request.param, folder))
    world.project_id = live(world)
    with world.write() as transaction:
        search_index.index_after(transaction, search_index.FIRST, limit=100)
    yield world
    world.database.close()


@pytest.fixture
def world(instance_of_its_own):
    """A world with something of everything; whatever a test does to it is put right again."""
    yield instance_of_its_own
    assert differences(instance_of_its_own) == []


def differences(world):
    checks = recount(world.database, world.instance.blobs)
    return [sentence for check in checks for sentence in check.differences]


def change(world, sql):
    with world.write() as transaction:
        transaction.run(Statement(text(sql), across_accounts=True))


def test_the_check_does_not_read_the_tickets_again_for_each_milestone(world):
    (milestones,) = [each for each in SUMS if each.title == "counts of milestones"]
    with world.database.read() as transaction:
        explain = "EXPLAIN QUERY PLAN" if transaction.dialect.name == "sqlite" else "EXPLAIN"
        rows = transaction.sql(f"{explain} {milestones.statement.on(transaction.dialect).text}", [])
    assert not re.search("CORRELATED|SubPlan", " ".join(row[-1] for row in rows))


def test_a_busy_instance_passes_the_deep_check(world):
    assert differences(world) == []


def test_a_link_that_sets_up_the_service_comes_from_nobody(world):
    with world.write() as transaction:
        setup_links.open_link(transaction)
    assert differences(world) == []
    change(world, "UPDATE invitations SET creator_id = 999 WHERE creator_id = 0")
    assert differences(world) == ["Rows of invitations have a creator_id that is not there: 1"]
    change(world, "DELETE FROM invitations WHERE creator_id = 999")


def test_every_check_has_a_title_of_its_own(world):
    titles = [check.title for check in recount(world.database, world.instance.blobs)]
    assert len(titles) == len(set(titles)) == 17


@pytest.mark.parametrize(
    ("table", "column", "place"),
    [
        ("project_counters", "tickets_count", "project 1 of account 2 is 5 and should be 2"),
        ("project_counters", "open_tickets_count", "project 1 of account 2 is 4 and should be 1"),
        ("milestones", "tickets_count", "milestone 1 of account 2 is 4 and should be 1"),
        ("milestones", "open_tickets_count", "milestone 1 of account 2 is 3 and should be 0"),
        ("tickets", "version", "ticket 2 of project 1 of account 2 is 5 and should be 2"),
        ("tickets", "attachments_count", "ticket 2 of project 1 of account 2 is 4 and should be 1"),
        (
            "versions",
            "attachments_count",
            "version 2 of ticket 2 of project 1 of account 2 is 4 and should be 1",
        ),
        ("messages", "comments_count", "message 1 of account 2 is 4 and should be 1"),
        ("messages", "attachments_count", "message 2 of account 2 is 3 and should be 0"),
    ],
)
def test_a_wrong_count_is_reported_with_the_right_one(world, table, column, place):
    change(world, f"UPDATE {table} SET {column} = {column} + 3")
    found = differences(world)
    change(world, f"UPDATE {table} SET {column} = {column} - 3")
    assert f"The {column} of {place}" in found
    assert all(sentence.startswith(f"The {column} of ") for sentence in found)


def test_tickets_in_the_wrong_class_are_found(world):
    change(world, "UPDATE projects SET closed_states = open_states, open_states = closed_states")
    assert any(" in the state new: " in sentence for sentence in differences(world))
    change(world, "UPDATE projects SET closed_states = open_states, open_states = closed_states")


def test_the_command_prints_each_check_and_fails_for_a_difference(world, monkeypatch, capsys):
    data, url = str(world.instance.settings.data), world.instance.settings.database
    monkeypatch.setenv("SKERRY_DATA", data)
    monkeypatch.setenv("SKERRY_DATABASE_URL", url)
    monkeypatch.setattr(sys, "argv", ["skerry", "check", "--deep"])
    main()
    assert capsys.readouterr().out.count(": ok\n") == 19
    change(world, "UPDATE milestones SET tickets_count = 9")
    with pytest.raises(SystemExit) as end:
        main()
    change(world, "UPDATE milestones SET tickets_count = 1")
    said = capsys.readouterr()
    assert "counts of milestones: differences: 1\n" in said.out
    assert said.out.count(": ok\n") == 18
    assert (end.value.code, said.err) == (1, "skerry: The check found differences: 1\n")


@pytest.mark.parametrize(
    ("table", "column"), [("project_counters", "last_number"), ("tickets", "last_version")]
)
def test_a_number_that_would_be_reused_is_reported_and_a_gap_is_not(world, table, column):
    change(world, f"UPDATE {table} SET {column} = {column} + 7")
    assert differences(world) == []
    change(world, f"UPDATE {table} SET {column} = {column} - 9")
    found = differences(world)
    change(world, f"UPDATE {table} SET {column} = {column} + 2")
    assert found
    assert all(sentence.startswith(f"The {column} of ") for sentence in found)


def test_an_id_that_would_be_given_again_is_said(world):
    change(world, "UPDATE counters SET value = value - 1 WHERE name = 'milestones' AND account_id = 2")
    change(world, "UPDATE counters SET name = 'other' WHERE name = 'users'")
    found = differences(world)
    change(world, "UPDATE counters SET value = value + 1 WHERE name = 'milestones' AND account_id = 2")
    change(world, "UPDATE counters SET name = 'users' WHERE name = 'other'")
    assert found == [
        "The counter of milestones of account 2 is 0 and should be at least 1",
        "Account 0 does not count its users",
    ]


def test_a_file_of_sqlite_that_was_changed_by_hand_is_checked_to_its_end(tmp_path, monkeypatch, capsys):
    world = world_in(tmp_path, migrated_databases.on_sqlite(tmp_path))
    live(world)
    world.database.close()
    with closing(sqlite3.connect(tmp_path / "skerry.sqlite3")) as file, file:
        file.execute("DELETE FROM projects")
        file.execute("UPDATE counters SET value = 'many' WHERE name = 'bins'")
        file.execute("UPDATE tickets SET watchers_ids = 'everybody' WHERE number = 2")
    monkeypatch.setattr(sys, "argv", ["skerry", "--data", str(tmp_path), "check", "--deep"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().out
    assert "Rows of tickets that belong to projects that are not there: 2\n" in said
    assert said.count("Some data cannot be read: ") == 2
    assert "attachments of files: ok\n" in said


WRONG_TAG = "The tickets_count of the tag rain in project 1 of account 2 is 1 and should be 0"


@pytest.mark.parametrize(
    ("table", "who", "besides"), [("taggings", "tags", [WRONG_TAG]), ("watchers", "watchers", [])]
)
def test_the_check_reports_a_ticket_that_is_indexed_differently_than_shown(world, table, who, besides):
    of_first = Statement(text(f"SELECT * FROM {table} WHERE number = 1"), across_accounts=True)
    with world.database.read() as transaction:
        kept = transaction.all(of_first)
    change(world, f"DELETE FROM {table} WHERE number = 1")
    found = differences(world)
    for row in kept:
        change(world, f"INSERT INTO {table} VALUES ({', '.join(map(repr, row))})")
    assert found == [*besides, f"Ticket 1 of project 1 of account 2 is found by other {who} than it shows"]


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("state_counts", "the state resolved (closed: 1) in project 1 of account 2 is 4 and should be 1"),
        ("tag_counts", "the tag rain in project 1 of account 2 is 4 and should be 1"),
    ],
)
def test_a_wrong_count_of_a_state_or_tag_is_said_and_put_right_by_indexing_everything(world, table, place):
    change(world, f"UPDATE {table} SET tickets_count = tickets_count + 3 WHERE tickets_count > 0")
    found = differences(world)
    change(world, f"DELETE FROM {table}")
    assert len(differences(world)) == len(found)
    search_index.reindex(world.database)
    assert f"The tickets_count of {place}" in found


def test_a_missing_name_is_reported(world):
    change(world, "UPDATE tickets SET milestone_id = 99 WHERE number = 2")
    change(world, "UPDATE messages SET user_id = 99 WHERE id = 2")
    found = differences(world)
    change(world, "UPDATE tickets SET milestone_id = NULL WHERE number = 2")
    change(world, "UPDATE messages SET user_id = 2 WHERE id = 2")
    assert found == [
        "Rows of tickets have a milestone_id that is not there: 1",
        "Rows of messages have a user_id that is not there: 1",
    ]


@pytest.mark.parametrize(
    "table", ["account_members", "project_members", "tokens", "changesets", "bins", "events"]
)
def test_a_missing_person_is_reported(world, table):
    change(world, f"UPDATE {table} SET user_id = user_id + 90")
    found = differences(world)
    change(world, f"UPDATE {table} SET user_id = user_id - 90")
    (sentence,) = found
    assert sentence.startswith(f"Rows of {table} have a user_id that is not there: ")


def test_the_check_reports_a_ticket_without_words(world):
    change(world, f"DELETE FROM {words_of(world)} WHERE number = 2")
    found = differences(world)
    with world.write() as transaction:
        search_index.index(transaction, 1, 2)
    assert found == ["Ticket 2 of project 1 of account 2 is not found by its words"]


def test_words_that_no_search_looks_for_are_said(world):
    table = words_of(world)
    change(world, f"UPDATE {table} SET {NOT_LOOKED_FOR[table]} WHERE number = 2")
    found = differences(world)
    with world.write() as transaction:
        search_index.index(transaction, 1, 2)
    assert found == ["Ticket 2 of project 1 of account 2 is not found by its words"]


@pytest.mark.parametrize("wrong", ["assigned_user_id = assigned_user_id + 1", "closed = 1 - closed"])
def test_tags_that_the_search_does_not_know_are_said_and_put_right_by_indexing_everything(world, wrong):
    change(world, f"UPDATE taggings SET {wrong}")
    found = differences(world)
    search_index.reindex(world.database)
    assert found
    assert all(
        re.fullmatch(r"Ticket \d+ of project 1 of account 2 is not searched by its tags", each)
        for each in found
    )


# On SQLite a search takes a ticket where it was last changed, on PostgreSQL by words that follow its account.
NOT_LOOKED_FOR = {
    "search_places": "updated_at = updated_at - 1",
    "search_documents": "words = array_to_tsvector(ARRAY['2.1/roof'])",
}


def words_of(world):
    return "search_places" if world.database.engine.dialect.name == "sqlite" else "search_documents"


def test_a_missing_or_truncated_file_is_reported(world):
    blobs = world.instance.blobs
    (kept,) = [kept for batch in blobs.list_all() for kept in batch]
    path = world.instance.settings.data / "blobs" / kept.key
    content = path.read_bytes()
    path.write_bytes(content[:5])
    cut = differences(world)
    path.unlink()
    gone = differences(world)
    path.write_bytes(content)
    place = r"The file of attachment \d+ of account 2, notes.txt, "
    assert re.fullmatch(f"{place}has 5 bytes and should have 2000", cut[0])
    assert re.fullmatch(f"{place}is missing", gone[0])
    assert len(cut) == len(gone) == 1


def test_a_file_without_an_attachment_is_reported_after_a_day(world):
    path = world.instance.settings.data / "blobs" / "2" / ("ab" * 20)
    path.write_bytes(b"x")
    assert differences(world) == []
    os.utime(path, (time.time() - 90_000,) * 2)
    found = differences(world)
    path.unlink()
    assert found == [f"The file 2/{'ab' * 20} belongs to no attachment"]


def test_rows_removed_during_the_check_are_no_differences(world):
    ada = world.people["ada"]
    number = open_with_file(ada, world.project_id, "Soon gone")
    with world.write() as transaction:
        search_index.index(transaction, world.project_id, number)
    found = []
    for check in recount(world.database, world.instance.blobs):
        if check.title == "tags and watchers":
            ada.delete(f"/projects/{world.project_id}/tickets/{number}")
        found.extend(check.differences)
    assert found == []
