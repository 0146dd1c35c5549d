"""How the service is, over HTTP."""

from tests.conftest import build_world


def test_the_health_counts_what_the_account_holds(world, ada, roof):
    other = build_world(world.house, world.log, world.format).people["ada"]
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
    folder = world.house.settings.data / "backups"
    folder.mkdir(exist_ok=True)
    copy = folder / "before-0001-20260314T092653.000000Z.sqlite3"
    copy.touch()
    try:
        assert ada.get("/administration/health").item["copied_at"] is not None
    finally:
        copy.unlink()
    assert ada.get("/administration/health").item["copied_at"] is None
