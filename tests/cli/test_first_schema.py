"""Databases with the first schema: they open, and are migrated to the present one."""

from contextlib import closing

import pytest
from sqlalchemy import text

from skerry.database.database import Database
from skerry.errors import Conflict
from skerry.store import schema
from skerry.store.counts import counters
from skerry.store.transfer import archive
from tests.cli.archives import differences, empty_place, opened
from tests.support import schema_0026
from tests.support.client import Client
from tests.support.instances import url_of
from tests.support.schemas import schema_of

FIRST = "0026"


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request):
    return request.param


@pytest.fixture
def place(kind, tmp_path):
    """The folder and the database of an installation with the first schema."""
    return tmp_path, schema_0026.put(kind, tmp_path)


def rows(address, query):
    with closing(Database(address)) as database, schema.changing(database) as connection:
        return connection.execute(text(query)).all()


def migrated(address):
    """Migrate a database; return its schema."""
    with closing(Database(address)) as database:
        schema.migrate(database)
        with schema.changing(database) as connection:
            return schema_of(connection)


def test_a_database_of_the_first_schema_opens_and_nothing_in_it_is_wrong(place):
    with opened(place) as instance:
        assert schema.migrate(instance.database)[0] == "0027"
        assert differences(instance) == []
        assert schema.pending(instance.database) == []


@pytest.mark.parametrize("form", ["json", "xml"])
def test_everything_of_the_first_schema_can_be_read_and_changed(place, form):
    with opened(place) as instance:
        schema.migrate(instance.database)
        ada, ben = (
            Client(instance.application, schema_0026.HOST, form, {"X-ServiceToken": token})
            for token in schema_0026.TOKENS.values()
        )
        at = f"/projects/{schema_0026.PROJECT}"
        ticket = ada.get(f"{at}/tickets/1").item
        assert [version["body"] for version in ticket["versions"]][1:4] == [
            "Comment 0",
            "Comment 1",
            "Comment 2",
        ]
        assert ben.get(f"{at}/tickets/1").item["versions"] == ticket["versions"]
        for path in (
            "tickets",
            "tickets?q=rain",
            "milestones",
            "messages",
            "changesets",
            "bins",
            "memberships",
        ):
            assert ada.get(f"{at}/{path}").items, path
        file = ada.get(f"{at}/tickets/2").item["attachments"][0]
        assert file["filename"] == "notes.txt"
        assert ada.put(f"{at}/tickets/1", {"ticket": {"body": "Still here"}}).status == 200
        assert differences(instance) == []


def test_new_and_migrated_databases_have_the_same_schema(kind, place):
    assert migrated(place[1]) == migrated(url_of(kind, place[0] / "blobs"))


def test_the_first_schema_is_made_as_it_was_and_becomes_what_a_new_one_is(kind, place):
    new = url_of(kind, place[0] / "blobs")
    with closing(Database(new)) as database, schema.changing(database) as connection:
        schema.upgrade(connection, FIRST)
        made = schema_of(connection)
    with closing(Database(place[1])) as database, schema.changing(database) as connection:
        assert schema_of(connection) == made
    assert migrated(new) == migrated(place[1])


def test_accounts_count_the_ids_of_all_tables(place):
    migrated(place[1])
    accounts = {account_id for (account_id,) in rows(place[1], "SELECT id FROM accounts")}
    counted = {tuple(row) for row in rows(place[1], "SELECT account_id, name FROM counters")}
    missing = {(account_id, name) for account_id in accounts for name in counters.KINDS} - counted
    assert missing == set(), "its migration has to insert a row into counters for every account"


def test_values_that_an_earlier_migration_left_empty_are_filled_in(place):
    with closing(Database(place[1])) as database, schema.changing(database) as connection:
        connection.execute(text("UPDATE versions SET watchers_ids = NULL WHERE version < 3"))
        connection.execute(text("UPDATE accounts SET key = NULL, mail_secret = NULL WHERE id = 1"))
    migrated(place[1])
    unlike = "SELECT count(*) FROM versions v JOIN tickets t USING (account_id, project_id, number)"
    assert rows(place[1], f"{unlike} WHERE v.version < 3 AND v.watchers_ids <> t.watchers_ids") == [(0,)]
    assert rows(place[1], "SELECT count(*) FROM versions WHERE watchers_ids IS NULL") == [(0,)]
    first, second = rows(place[1], "SELECT key, mail_secret FROM accounts ORDER BY id")
    assert len({*first, *second}) == 4


def test_unused_logins_of_imported_people_become_placeholders(place):
    ((home, project_id),) = rows(place[1], "SELECT account_id, id FROM projects WHERE id = 9")
    with closing(Database(place[1])) as database, schema.changing(database) as connection:
        for user_id, password in ((8, "!"), (9, "used")):
            email = f"user-{user_id}@acme.account-{home}.invalid"
            values = {"id": user_id + 900, "email": email, "said": password}
            for statement in (
                "INSERT INTO users (id, name, job, website, created_at) VALUES (:id, 'Emil', '', '', 1)",
                "INSERT INTO logins (email, user_id, password_hash, changed_at) SELECT :email, :id, :said, 1",
                f"INSERT INTO project_members SELECT {home}, {project_id}, :id, :id, 1",
            ):
                connection.execute(text(statement), values)
    migrated(place[1])
    assert rows(place[1], "SELECT account_id, user_id, source FROM placeholders") == [(home, 908, "acme/8")]
    assert rows(place[1], "SELECT user_id, id FROM placeholder_members") == [(908, 908)]
    assert rows(place[1], "SELECT user_id FROM logins WHERE user_id > 900") == [(909,)]
    assert rows(place[1], "SELECT user_id FROM project_members WHERE user_id > 900") == [(909,)]


def test_what_refers_to_a_table_that_is_made_anew_stays(place):
    with closing(Database(place[1])) as database, schema.changing(database) as connection:
        connection.execute(text("DELETE FROM default_bins"))
        connection.execute(
            text(
                "INSERT INTO default_bins (account_id, project_id, user_id, bin_id) "
                "SELECT account_id, project_id, user_id, min(id) FROM bins "
                "GROUP BY account_id, project_id, user_id"
            )
        )
    chosen = "SELECT account_id, project_id, user_id, bin_id FROM default_bins ORDER BY 1, 2, 3"
    before = rows(place[1], chosen)
    migrated(place[1])
    assert rows(place[1], chosen) == before != []


def test_a_backup_with_the_first_schema_is_restored_with_the_newest(kind, place, run, tmp_path):
    target = empty_place("postgres" if kind == "sqlite" else "sqlite", tmp_path / "target")
    run(place, "backup", tmp_path / "backup.tar")
    assert rows(place[1], "SELECT version_num FROM alembic_version") == [(FIRST,)]
    run(target, "restore", tmp_path / "backup.tar")
    with opened(target) as instance:
        assert schema.pending(instance.database) == []
        assert differences(instance) == []


TOO_OLD = r"^The {} has schema 0025, which is too old for .*\(schema 0026 or .*; {} with .* 75a36242 first$"


@pytest.mark.parametrize(
    "words", [("migrate",), ("check",), ("serve",), ("backup", "backup.tar")], ids=" ".join
)
def test_a_database_with_an_older_schema_is_refused_and_the_sentence_says_what_helps(place, run, words):
    with closing(Database(place[1])) as database, schema.changing(database) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0025'"))
    with pytest.raises((schema.SchemaError, Conflict), match=TOO_OLD.format("database", "migrate it")):
        run(place, *words)
    assert rows(place[1], "SELECT version_num FROM alembic_version") == [("0025",)]


def test_a_backup_with_an_older_schema_is_refused_and_the_sentence_says_what_helps(run, tmp_path):
    target = empty_place("sqlite", tmp_path / "target")
    old = tmp_path / "old.tar"
    with archive.created(old, overwrite=False) as file, archive.writing(file) as writer:
        writer.about(archive.About("0025", "skerry", "2026-01-01T00:00:00+00:00"))
    with pytest.raises(
        schema.SchemaError, match=TOO_OLD.format("archive", "restore it and back it up again")
    ):
        run(target, "restore", old)
    assert not target[0].exists()
