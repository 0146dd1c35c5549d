"""The schema, its migrations, and the indexes that lists use."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import UniqueConstraint, inspect

from skerry.store import accounts, bulk_edits, comments, milestones, schema
from skerry.store import tickets as ticket_store
from skerry.store.auth import logins, tokens
from skerry.store.projects import Visibility
from skerry.store.tables import metadata
from skerry.store.tables.columns import is_event_number
from skerry.store.ticket_rows import ticket_lists, ticket_pages

# What belongs to no account: who has a login, the accounts themselves, and what the migrations keep.
OF_THE_SERVICE = {"accounts", "users", "logins", "alembic_version"}


# --- The schema ------------------------------------------------------------------------------------


def test_the_migrations_make_exactly_the_tables(empty):
    with schema.changing(empty) as connection:
        schema.upgrade(connection, "0026")
        schema.upgrade(connection)
        context = MigrationContext.configure(
            connection, opts={"include_name": is_ours, "compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []


def test_a_database_that_is_too_old_is_refused_in_words(database, monkeypatch):
    kind = database.engine.dialect.name
    name, _ = schema.OLDEST[kind]
    monkeypatch.setitem(schema.OLDEST, kind, (name, (99, 5)))
    with pytest.raises(schema.SchemaError, match=rf"^Skerry needs {name} 99\.5 or newer; this is [\d.]+$"):
        schema.migrate(database)


def test_every_column_with_numbers_of_events_changes_when_a_backup_is_restored():
    named = ("batch_id", "cursor", "event", "event_number", "last_event")
    columns = [column for table in metadata.sorted_tables for column in table.c if column.name in named]
    assert [column for column in columns if not is_event_number(column)] == []


def is_ours(name, kind, _parents):
    # What serves the search is made by SQL of its own, different on the two databases.
    return not (kind in ("table", "index") and name.startswith("search_"))


def test_every_rule_of_what_belongs_to_an_account_begins_with_the_account():
    checked = 0
    for table in metadata.tables.values():
        if table.name in OF_THE_SERVICE:
            continue
        rules = [list(table.primary_key.columns)]
        rules += [list(rule.columns) for rule in table.constraints if isinstance(rule, UniqueConstraint)]
        rules += [list(index.columns) for index in table.indexes]
        rules += [[element.parent for element in key.elements] for key in table.foreign_key_constraints]
        for columns in rules:
            assert columns[0].name == "account_id", (table.name, columns)
            checked += 1
    assert checked > 40


def test_the_keys_in_the_database_itself_contain_the_account(database):
    found = inspect(database.engine)
    keys, foreign_keys = found.get_multi_pk_constraint(), found.get_multi_foreign_keys()
    unique, indexes = found.get_multi_unique_constraints(), found.get_multi_indexes()
    ours = [at for at in keys if at[1] not in OF_THE_SERVICE and not at[1].startswith("search_")]
    assert len(ours) > 40
    for at in ours:
        rules = [keys[at]["constrained_columns"]]
        rules += [rule["column_names"] for rule in (*unique[at], *indexes[at])]
        rules += [key["constrained_columns"] for key in foreign_keys[at]]
        assert {columns[0] for columns in rules} == {"account_id"}, at


def test_migrating_applies_the_pending_migrations_once(empty):
    pending = schema.pending(empty)
    assert pending[0] == "0026"
    assert pending == schema.migrate(empty)
    assert (schema.migrate(empty), schema.pending(empty)) == ([], [])


def test_programs_that_start_at_once_migrate_once(empty):
    barrier = Barrier(4)

    def start(_number):
        barrier.wait()
        return schema.migrate(empty)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(start, range(4)))
    assert sorted(map(bool, done)) == [False, False, False, True]


def test_a_migration_that_fails_leaves_nothing_behind(empty, monkeypatch):
    kept = schema.command.stamp

    def fails_at_the_end(*arguments):
        kept(*arguments)
        raise ZeroDivisionError

    monkeypatch.setattr(schema.command, "stamp", fails_at_the_end)
    with pytest.raises(ZeroDivisionError):
        schema.migrate(empty)
    assert inspect(empty.engine).get_table_names() == []


def test_a_database_of_a_newer_program_is_refused_in_words(database):
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for work in (schema.migrate, schema.pending):
        with pytest.raises(schema.SchemaError, match=r"newer than this program .* install a newer skerry"):
            work(database)


# --- Lists come off an index -----------------------------------------------------------------------


def plan(database, statement, **values):
    """Return the steps in which SQLite would run a statement."""
    compiled = statement.on(database.engine.dialect)
    text, ordered = compiled.with_values(values)
    with database.engine.connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", tuple(ordered)).all()
    return [row[-1] for row in rows]


def test_the_list_of_a_project_is_read_off_its_index_alone(sqlite):
    steps = plan(sqlite, ticket_pages.OF_PROJECT, account_id=1, project_id=1, limit=30, offset=60)
    found = "SEARCH tickets USING COVERING INDEX ix_tickets_list (account_id=? AND project_id=?)"
    assert [step for step in steps if "tickets" in step or "B-TREE" in step] == [found]


@pytest.mark.parametrize(
    ("statement", "key", "values"),
    [
        (comments._LAST_IDS, "id", {"project_id": 1, "message_ids": [1, 2, 3]}),
        (comments._LAST_COMMENTS, "id", {"project_id": 1, "message_ids": [1, 2, 3]}),
        (milestones._SOME, "id", {"project_ids": [1, 2], "milestone_ids": [1, 2, 3]}),
        (bulk_edits._PARTS, "part_of", {"part_of": 1, **Visibility()._asdict()}),
    ],
)
def test_rows_of_projects_that_are_named_are_found_by_their_keys(sqlite, statement, key, values):
    steps = plan(sqlite, statement, account_id=1, **values)
    assert steps[0].endswith(f"(account_id=? AND {key}=?)"), steps


def test_the_list_of_all_tickets_is_read_off_an_index_in_its_order(sqlite):
    steps = plan(sqlite, ticket_pages.OF_PROJECTS, account_id=1, project_ids=[1, 2, 3], limit=30, offset=60)
    keys, rows = (step for step in steps if step.startswith("SEARCH tickets"))
    assert "USING COVERING INDEX" in keys
    # Only the page, a hundred rows at most, is walked and put in order; each ticket is found by its key.
    assert {step for step in steps if step.startswith("SCAN")} == {"SCAN CONSTANT ROW", "SCAN page"}
    assert rows.endswith("(account_id=? AND project_id=? AND number=?)"), steps
    # From 3.53 on SQLite sees that they have that order already.
    assert steps.count("USE TEMP B-TREE FOR ORDER BY") <= 1
    assert "USE TEMP B-TREE FOR ORDER BY" not in steps[: steps.index("SCAN page")]


def test_tickets_by_their_numbers_are_found_by_their_keys(sqlite):
    for statement in (ticket_pages.THOSE, ticket_lists._READ):
        steps = plan(sqlite, statement, account_id=1, project_id=1, numbers=[1, 2])
        (found,) = (step for step in steps if step.startswith("SEARCH tickets"))
        assert found.endswith("(account_id=? AND project_id=? AND number=?)"), steps


def test_finding_an_account_a_ticket_a_token_and_a_login_needs_no_scan(sqlite):
    for statement, values in (
        (accounts._AT_HOST, {"host": "x"}),
        (ticket_store._ONE, {"project_id": 1, "number": 1}),
        (tokens._BY_HASH, {"hash": "x", "now": 1}),
        (logins._LOGIN, {"email": "x"}),
    ):
        steps = plan(sqlite, statement, account_id=1, **values)
        assert not [step for step in steps if step.startswith("SCAN")], steps
