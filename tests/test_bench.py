"""What is measured against does what the product does."""

from contextlib import closing

from bench.bare_writes import writings
from bench.connections import Connections
from bench.operations import WRITTEN_PROJECT
from bench.sample import filled
from skerry.store import changesets
from skerry.store.database import Database


def test_the_bare_program_writes_a_commit_as_the_product_does(tmp_path):
    url = filled(f"sqlite:///{tmp_path / 'skerry.sqlite3'}", 100).url
    with closing(Database(url)) as database, closing(Connections(url)) as connections:
        writings(database, connections)["changeset"]("1")
        with database.read(1) as transaction:
            (made,) = changesets.of_project(transaction, WRITTEN_PROJECT, limit=9, offset=0)
    assert made.changes == [("M", "/roof.py")]
