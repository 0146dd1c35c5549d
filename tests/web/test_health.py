"""How the service is, over HTTP."""

import os
from types import SimpleNamespace

import pytest

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
    plenty = {"f_frsize": 4096, "f_bavail": 10_000_000, "f_files": 1000, "f_favail": 100}

    def ask(folder):
        return SimpleNamespace(**{**plenty, **left} if str(folder) == str(place) else plenty)

    monkeypatch.setattr(os, "statvfs", ask)


@pytest.mark.matrix("json")
@pytest.mark.parametrize("folder", ["", "uploads", "blobs"])
@pytest.mark.parametrize("left", [{"f_bavail": 0}, {"f_bavail": 1000}, {"f_favail": 0}])
def test_health_tells_a_full_disk(world, monkeypatch, folder, left):
    full(monkeypatch, world.instance.settings.data / folder, **left)
    answer = call(world.instance.application, "GET", "/health")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert f"{world.instance.settings.data / folder}: No space left on device" in world.log.getvalue()
    full(monkeypatch, "nowhere")
    assert call(world.instance.application, "GET", "/health").status == 200


@pytest.mark.matrix("json")
def test_a_disk_that_does_not_count_its_files_is_not_full(world, monkeypatch):
    full(monkeypatch, world.instance.settings.data, f_files=0, f_favail=0)
    assert call(world.instance.application, "GET", "/health").status == 200
