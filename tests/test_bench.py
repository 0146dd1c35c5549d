"""The bare programs of the benchmark do what the product does."""

from contextlib import closing, nullcontext
from types import SimpleNamespace

import pytest

from bench import load
from bench.bare_writes import writings
from bench.connections import Connections
from bench.load import Answer, Request
from bench.operations import WRITTEN_PROJECT
from bench.sample import filled
from skerry.database import durability
from skerry.database.database import Database
from skerry.files.blobs import Blobs
from skerry.store import changesets
from skerry.store.checks.recount import recount


def test_the_bare_program_writes_a_commit_as_the_product_does(tmp_path):
    url = filled(f"sqlite:///{tmp_path / 'skerry.sqlite3'}", 100).url
    with closing(Database(url)) as database, closing(Connections(url)) as connections:
        writings(database, connections)["changeset"]("1")
        with database.read(1) as transaction:
            (made,) = changesets.of_project(transaction, WRITTEN_PROJECT, limit=9, offset=0)
    assert made.changes == [("M", "/roof.py")]


def test_the_bare_program_waits_for_the_disk_as_the_product_does(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(durability, "_FLUSH", flushed.append)
    with closing(Connections(f"sqlite:///{tmp_path / 'bare.sqlite3'}")) as connections:
        with connections.transaction() as cursor:
            cursor.execute("CREATE TABLE drops (number)")
        assert len(flushed) == 1
        with connections.transaction() as cursor:
            cursor.execute("INSERT INTO drops VALUES (1)")
    assert len(flushed) == 2


def test_the_sample_data_agree_with_the_deep_check(tmp_path):
    url = filled(f"sqlite:///{tmp_path / 'skerry.sqlite3'}", 100).url
    with closing(Database(url)) as database:
        checks = recount(database, Blobs(tmp_path, None))
        assert [sentence for check in checks for sentence in check.differences] == []


def test_a_ticket_that_was_changed_more_often_than_others_does_not_say_how_long_they_are(monkeypatch):
    lengths = iter([7, 9, 8, 30, 7, 8, 8, 7, 40])
    monkeypatch.setattr(load, "ask", lambda *_asked: Answer(200, {}, b"x" * next(lengths), 0))
    assert len(load.ask_some(8000, Request("GET", "/projects/2/tickets/@number@.json")).body) == 8


@pytest.mark.parametrize(
    ("path", "size", "right"),
    [
        ("/projects/2/tickets/@number@.json", 1700, True),
        ("/projects/2/tickets/@number@.json", 100, False),
        ("/projects/2/tickets/@number@.json", 5000, False),
        ("/projects/2/tickets/7.json", 1050, True),
        ("/projects/2/tickets/7.json", 1700, False),
    ],
)
def test_answers_of_another_size_than_before_are_wrong(monkeypatch, path, size, right):
    said = {"refused": 0, "broken": 0, "requests": 1000, "bytes": size * 1000}
    said |= {"microseconds": 1e6, "p50": 1.0, "p99": 2.0}
    for name in ("_with_wrk", "_with_python"):
        monkeypatch.setattr(load, name, lambda *_asked: said)
    server = SimpleNamespace(port=8000, cpu=lambda: 0.0)
    with nullcontext() if right else pytest.raises(load.WrongAnswerError, match=f"has {size} bytes"):
        assert load.measure(server, Request("GET", path), 1000, 1).rate == 1000


def test_wrk_is_given_whole_seconds(monkeypatch):
    words = []

    def run(command, **_options):
        words.extend(command)
        return SimpleNamespace(returncode=0, stdout="{}")

    monkeypatch.setattr(load, "subprocess", SimpleNamespace(run=run))
    assert load._with_wrk(8000, Request("GET", "/"), 1, 1.0) == {}
    assert "-d1s" in words
