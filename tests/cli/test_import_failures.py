"""Interrupted imports leave neither rows nor files."""

import os
import signal
import subprocess
import sys
from itertools import chain, repeat
from types import SimpleNamespace

import click
import pytest

from skerry.cli import imports
from skerry.errors import Conflict
from skerry.transfer.importing import rows, writing
from tests.cli import hosted
from tests.cli.archives import account_named, differences, place_of
from tests.cli.hosted import packed, roof, ticket
from tests.support.processes import PATIENCE, ROOT, until

DYING = """
import os, signal
from skerry import cli
from skerry.store.search import index

index.index_new = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
cli.main()
"""
"""The program, killed in the middle of an import, when the files have been copied."""


def words_of(source, path):
    folder, url = place_of(source)
    places = ("--data", str(folder), "--database", url)
    return [*places, "import", str(path), "--account", account_named(source)]


def test_an_import_that_is_killed_in_the_middle_leaves_nothing_of_its_project(source, take, tmp_path):
    path = packed(tmp_path / "acme.tar.gz", roof())
    words = [sys.executable, "-c", DYING, *words_of(source, path)]
    assert subprocess.run(words, check=False, cwd=ROOT, timeout=PATIENCE).returncode == -signal.SIGKILL
    assert list(source.instance.blobs.list_all()) != []
    assert source.people["ada"].get("/projects").items == []
    assert "Imported project 31, Roof: 1 ticket" in take(roof())
    # The file that was left behind is too young for the cleanup, and for the deep check.
    assert differences(source.instance) == []


def test_the_deep_check_removes_what_a_killed_import_has_left(source, run, tmp_path):
    words = [sys.executable, "-c", DYING, *words_of(source, packed(tmp_path / "acme.tar.gz", roof()))]
    subprocess.run(words, check=False, cwd=ROOT, timeout=PATIENCE)
    assert source.people["ada"].get("/tickets").items == []
    folder, url = place_of(source)
    said = run((folder, url), "check", "--deep")
    assert "imports that have not ended: removed 1 project" in said
    assert "removed" not in run((folder, url), "check", "--deep")
    assert differences(source.instance) == []


@pytest.mark.matrix("databases")
def test_others_write_during_an_import_and_see_its_project_when_it_is_whole(take, source, monkeypatch):
    ada, steps = source.people["ada"], []
    home = ada.post("/projects", {"project": {"name": "Home"}}).item["id"]

    class Look:
        def __call__(self, what, done, _total):
            steps.append(what)
            if what in ("Writing bytes", "Indexing tickets"):
                opened = ada.post(f"/projects/{home}/tickets", {"ticket": {"title": f"{what} {done}"}})
                assert opened.status == 201
                assert [project["name"] for project in ada.get("/projects").items] == ["Home"]
                assert {ticket["project_id"] for ticket in ada.get("/tickets").items} == {home}

        def end(self):
            steps.append("end")

    monkeypatch.setattr(imports, "Progress", Look)
    monkeypatch.setattr(writing, "HELD_SECONDS", 0)
    monkeypatch.setattr(writing, "_AT_ONCE", 1)
    monkeypatch.setattr(rows, "_AT_ONCE", 1)
    take(roof(**{"projects/31-roof/tickets/13-x/ticket.json": ticket(13, [hosted.VERSION])}))
    assert {"Reading tickets", "Preparing tickets", "Writing bytes", "Indexing tickets"} < set(steps)
    assert steps[-1] == "end"
    assert len(ada.get("/projects").items) == 2
    assert differences(source.instance) == []


@pytest.mark.faults
@pytest.mark.matrix("databases")
def test_a_long_import_that_is_killed_leaves_nothing_of_its_project(source, take, tmp_path):
    versions = [{**hosted.VERSION, "body": "word " * 3000}]
    many = {f"projects/31-roof/tickets/{n}-x/ticket.json": ticket(n, versions) for n in range(100, 400)}
    path = packed(tmp_path / "acme.tar.gz", roof(**many))
    words = [sys.executable, "-m", "skerry", *words_of(source, path)]
    running = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    until(lambda: list(source.instance.blobs.list_all()), "the first file")
    os.kill(running.pid, signal.SIGKILL)
    running.wait(PATIENCE)
    assert source.people["ada"].get("/projects").items == []
    assert "Imported project 31, Roof: 301 tickets" in take(roof(**many))
    # The file that was left behind is too young for the cleanup, and for the deep check.
    assert differences(source.instance) == []


@pytest.mark.matrix("databases")
def test_a_failed_import_is_undone_with_its_files(take, source, monkeypatch):
    def fail(*_):
        raise Conflict("The disk is full")

    monkeypatch.setattr("skerry.store.search.index.index_new", fail)
    with pytest.raises(Conflict, match="full"):
        take(roof())
    assert source.people["ada"].get("/projects").items == []
    assert [kept for batch in source.instance.blobs.list_all() for kept in batch] == []


def test_files_stay_if_somebody_stops_it_when_their_rows_may_be_there(take, source, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("skerry.store.search.index.index_new", stop)
    with pytest.raises(click.Abort):
        take(roof())
    assert len([kept for batch in source.instance.blobs.list_all() for kept in batch]) == 1


def test_a_disk_that_fills_leaves_nothing_behind(take, source, monkeypatch):
    for looks in range(1, 8):
        free = chain(repeat(2**50, looks), repeat(0))
        monkeypatch.setattr("shutil.disk_usage", lambda _, free=free: SimpleNamespace(free=next(free)))
        with pytest.raises(Conflict, match=r"does not fit in .*, where 256 MiB must stay free"):
            take(roof())
        assert source.people["ada"].get("/projects").items == []
        assert list(source.instance.blobs.list_all()) == []


def test_an_import_without_room_in_the_database_leaves_nothing_behind(take, source, monkeypatch):
    monkeypatch.setattr("skerry.store.transfer.imports.room", lambda *_: 2**62)
    with pytest.raises(Conflict, match="does not fit"):
        take(roof())
    assert source.people["ada"].get("/projects").items == []
    assert list(source.instance.blobs.list_all()) == []
