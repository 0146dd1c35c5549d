"""Installations with the first schema that can still be migrated, and something in every table.

The program of commit 75a36242 made them: their data folders are packed in ``schema_0026``. That on PostgreSQL
has a dump of the database.
"""

import tarfile
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.migrated_databases import FILE

HOST, PROJECT = "world1.example", 9
TOKENS = {"ada": "a" * 40, "ben": "b" * 40}

_PACKED = Path(__file__).with_suffix("")


def put(kind, folder):
    """Put the installation of one kind into a folder; return the address of its database."""
    with tarfile.open(_PACKED / f"{kind}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return f"sqlite:///{folder / FILE}" if kind == "sqlite" else _loaded(folder / "skerry.sql")


def _loaded(dump):
    url = postgres.fresh() if postgres.url() else pytest.skip(postgres.reason())
    with postgres.connect(url.rpartition("/")[2].partition("?")[0]) as connection:
        connection.connection.driver_connection.execute(dump.read_text())
    return url
