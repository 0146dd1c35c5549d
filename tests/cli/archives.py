"""Looks at archives, and at installations by their places: the data folder and the database's address."""

import io
import json
import tarfile
from contextlib import closing, contextmanager

import pytest

from skerry import app
from skerry.database.database import Database
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.checks.recount import recount
from skerry.store.events.events import FORGOTTEN
from skerry.store.transfer import archive
from skerry.web.log import Log
from tests.support import postgres
from tests.support.instances import url_of

KINDS = ("sqlite", "postgres")


def empty_place(kind, folder):
    """The place of an installation that is not there yet."""
    return folder, url_of(kind, folder) or pytest.skip(postgres.reason())


def place_of(world):
    return world.instance.settings.data, world.instance.settings.database


@contextmanager
def opened(place):
    """The instance at a place."""
    folder, url = place
    with app.build(Settings(data=folder, database_url=url), Log(stream=io.StringIO())) as instance:
        yield instance


def names(place):
    """The names of the accounts."""
    with closing(Database(place[1])) as database, database.read() as transaction:
        return [account.name for account in accounts.list_all(transaction)]


def differences(instance):
    """What the deep check finds."""
    return [
        sentence for check in recount(instance.database, instance.blobs) for sentence in check.differences
    ]


def content(path):
    """Everything in an archive but when and by what it was made or restored: rows by table, bytes by file."""
    with archive.opened(path) as members:
        found = {
            name: list(archive.rows(file)) if archive.table_name(name) else file.read()
            for name, file in members
            if name not in ("about.json", "manifest.jsonl.gz")
        }
    log = found["tables/audit_entries.jsonl.gz"]
    log[1:] = [row for row in log[1:] if not row[log[0].index("kind")].startswith("backup.")]
    return found


def lasting(found):
    """Return the content of an archive without what a restore renews: numbers of events, and who sends."""
    del found["tables/leases.jsonl.gz"]
    kept = {"events": ("number", "batch_id"), "counters": ("value",)}
    for name, columns in kept.items():
        head, *rows = found[f"tables/{name}.jsonl.gz"]
        for row in rows:
            if name == "events" or row[head.index("name")].startswith("events"):
                for column in columns:
                    row[head.index(column)] = None
    counters = found["tables/counters.jsonl.gz"]
    counters[1:] = [row for row in counters[1:] if row[counters[0].index("name")] != FORGOTTEN]
    return found


def exported(path):
    """Every file of an export by its name below the account's folder: JSON read, the others as bytes."""
    with tarfile.open(path) as tar:
        found = {info.name.partition("/")[2]: tar.extractfile(info).read() for info in tar}
    return {name: json.loads(raw) if name.endswith(".json") else raw for name, raw in found.items()}


def account_named(world):
    """The name of a world's account, as commands take it."""
    with world.database.read(world.account_id) as transaction:
        return accounts.name_of(transaction)
