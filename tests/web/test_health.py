"""The health of the service over HTTP."""

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from skerry import app
from skerry.database import database
from skerry.settings import Settings
from skerry.web.log import Log
from tests.conftest import build_world
from tests.support.client import call

pytestmark = pytest.mark.matrix("databases")


def test_the_health_counts_what_the_account_holds(world, ada, roof):
    other = build_world(world.instance, world.log, world.format).people["ada"]
    project = other.post("/projects", {"project": {"name": "Theirs"}}).item["id"]
    other.post(f"/projects/{project}/tickets", {"ticket": {"title": "Not ours"}})
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It leaks"}})
    health = ada.get("/administration/health").item
    assert (health["tickets_count"], health["attachments_count"], health["attachments_size"]) == (1, 0, 0)
    assert health["database"] in ("SQLite", "PostgreSQL")
    assert min(health["database_size"], health["free_size"]) > 0
    assert all(health[f"{name}_version"] for name in ("program", "python", "database"))
    assert health["schema_revision"]


def test_the_health_knows_the_newest_copy(world, ada):
    folder = world.instance.settings.data / "backups"
    folder.mkdir(exist_ok=True)
    copy = folder / "before-0001-20260314T092653.000000Z.sqlite3"
    copy.touch()
    try:
        assert ada.get("/administration/health").item["copied_at"] is not None
    finally:
        copy.unlink()
    assert ada.get("/administration/health").item["copied_at"] is None


def full(monkeypatch, place, **left):
    """Let the disk of one folder have as much as is told, and that of any other plenty."""
    plenty = {"f_frsize": 4096, "f_bavail": 10_000_000, "f_files": 1000, "f_favail": 100, "f_flag": 0}

    def ask(folder):
        return SimpleNamespace(**{**plenty, **left} if str(folder) == str(place) else plenty)

    monkeypatch.setattr(os, "statvfs", ask)


@pytest.mark.matrix("json")
@pytest.mark.parametrize("folder", ["", "uploads", "blobs"])
@pytest.mark.parametrize("left", [{"f_bavail": 0}, {"f_bavail": 1000}, {"f_favail": 0}])
def test_health_reports_a_full_disk(world, monkeypatch, folder, left):
    full(monkeypatch, world.instance.settings.data / folder, **left)
    answer = call(world.instance.application, "GET", "/health")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert f"{world.instance.settings.data / folder}: No space left on device" in world.log.getvalue()
    full(monkeypatch, "nowhere")
    assert call(world.instance.application, "GET", "/health").status == 200


def test_health_reports_a_database_that_accepts_no_changes(world, monkeypatch):
    for kind in ("sqlite", "postgresql"):
        monkeypatch.setitem(database._IS_READ_ONLY, kind, "SELECT 1 = 1")
    assert call(world.instance.application, "GET", "/health").status == 503
    assert "The database accepts no changes" in world.log.getvalue()


@pytest.mark.matrix("json")
def test_asking_for_the_health_drops_no_lock_of_the_database(world, ada, roof):
    assert call(world.instance.application, "GET", "/health").status == 200
    file = world.instance.settings.data / "skerry.sqlite3"
    # The last connection to close removes the log. This one is not the last.
    script = "import sqlite3 as s, sys; c = s.connect(sys.argv[1]); c.execute('BEGIN IMMEDIATE'); c.close()"
    subprocess.run([sys.executable, "-c", script, file], check=True)
    assert Path(f"{file}-wal").exists()


@pytest.mark.matrix("json")
def test_health_reports_a_disk_that_has_become_read_only(world, monkeypatch):
    full(monkeypatch, world.instance.settings.data, f_flag=os.ST_RDONLY)
    assert call(world.instance.application, "GET", "/health").status == 503
    assert "Read-only file system" in world.log.getvalue()


@pytest.mark.matrix("json")
@pytest.mark.parametrize("damage", ["magic", "end", "tables", "missing"])
def test_health_reports_a_damaged_file(world, data, damage):
    with app.build(Settings(data=data), Log(stream=io.StringIO())) as instance:
        assert call(instance.application, "GET", "/health").status == 200
        file = Path(instance.database.engine.url.database)
        whole = file.read_bytes()
        page = int.from_bytes(whole[16:18], "big")
        damaged = {
            "magic": b"x" + whole[1:],
            "end": whole[:-page],
            "tables": whole[:page] + b"\xff" * page * 20 + whole[page * 21 :],
        }
        file.unlink() if damage == "missing" else file.write_bytes(damaged[damage])
        answer = call(instance.application, "GET", "/health")
        assert (answer.status, answer.body) == (503, b'{"status":"unavailable"}')
        file.write_bytes(whole)
        assert call(instance.application, "GET", "/health").status == 200


@pytest.mark.matrix("json")
def test_a_disk_without_a_count_of_files_is_not_considered_full(world, monkeypatch):
    full(monkeypatch, world.instance.settings.data, f_files=0, f_favail=0)
    assert call(world.instance.application, "GET", "/health").status == 200
