"""Tables partitioned by account: PostgreSQL accepts them, and a statement reads one partition."""

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial

import pytest

from skerry import app, cli
from skerry.background import Background
from skerry.store import accounts
from skerry.store.checks.recount import recount
from skerry.store.sending import leases
from skerry.web.log import Log
from tests.conftest import make_instance
from tests.support import loops, mail_server, migrated_databases, postgres
from tests.support.route_matrix import do_everything
from tests.support.spread_tables import PARTS, as_if_spread, divide, parts_read
from tests.support.sql_capture import (
    ACROSS,
    OF_ACCOUNTS,
    across,
    capture_sql,
    capturing,
    of_the_program,
    tables_in,
)


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    """An instance on such tables in which everything was done; ``said`` is what it said there."""
    url = migrated_databases.on_postgres()
    divide(url, OF_ACCOUNTS)
    instance, _log = make_instance(as_if_spread(url), tmp_path_factory.mktemp("divided"))
    said = capture_sql(instance.database)
    with instance:
        do_everything(instance)
        send_everything(instance)
        instance.clean_up()
        run_commands(instance, tmp_path_factory.mktemp("commands"), said)
        object.__setattr__(instance, "said", said.copy())
        yield instance


def send_everything(instance):
    """Do rounds of all background work, with a mail server, now and when what waits is due."""
    database, clock = instance.database, instance.database.clock
    with mail_server.running() as server, pytest.MonkeyPatch.context() as patch:
        settings = replace(
            instance.settings,
            smtp_url=f"smtp://localhost:{server.port}",
            mail_from="Skerry <skerry@tracker.test>",
            base_url="https://tracker.test",
        )
        patch.setattr(database, "mail", settings.mail)
        senders = app.senders(settings, database, Log(stream=io.StringIO()))
        background = Background(database, senders, refuse)
        background.renew()
        for account_id in background.held.leased:
            with database.write(account_id) as transaction:
                leases.pause(transaction, paused=False)
        background.renew()
        for minutes in (0, 0, 10):
            patch.setattr(database, "clock", lambda late=minutes: clock() + late * 60_000_000)
            for send in senders.values():
                loops.on_a_thread(partial(send, background.held))
        background.stop()


def refuse(name, error):
    raise AssertionError(name) from error


def run_commands(instance, folder, said):
    """Run the commands that read or change all data, and those that pause and resume sending."""
    place = instance.settings.data, instance.settings.database
    with instance.database.read() as transaction:
        name = [account.name for account in accounts.list_all(transaction)][-1]
    with capturing(said):
        for words in (
            ("sending", "pause"),
            ("sending", "status"),
            ("sending", "resume"),
            ("export", folder / "export.tar.gz", "--account", name),
            ("import", folder / "export.tar.gz", "--account", "First"),
            ("reindex",),
            ("rerender",),
            ("check", "--deep"),
        ):
            command(*place, *words)
    # A backup names its tables when it runs, and asks which accounts there are.
    command(*place, "backup", folder / "backup.tar")
    with capturing(said):
        command(folder / "restored", as_if_spread(postgres.fresh()), "restore", folder / "backup.tar")


def command(data, database, *words):
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        places = ("--data", str(data), "--database", database)
        cli.commands([*places, *map(str, words)], standalone_mode=False)


def test_everything_can_be_done_on_tables_divided_by_account_and_the_deep_check_agrees(instance):
    checks = recount(instance.database, instance.blobs)
    assert [difference for check in checks for difference in check.differences] == []


def test_each_statement_on_what_belongs_to_an_account_reads_the_same_part_of_every_table(instance):
    said = {statement: instance.said[statement] for statement in instance.said if tables_in(statement)}
    assert len(said) > 100
    with parts_read(instance.database) as parts:
        several = {each for each in said if any(len(parts(each, values)) > 1 for values in said[each])}
    assert several <= ACROSS | across(of_the_program(instance.database.engine.dialect))


def test_a_statement_that_reads_several_parts_would_be_found(instance):
    with parts_read(instance.database) as parts:
        assert len(parts("SELECT 1 FROM tickets WHERE account_id = %s AND number = 1", [1])) == 1
        assert len(parts("SELECT 1 FROM tickets WHERE account_id = %s OR number = 1", [1])) == PARTS
