"""Instances of their own for tests that look at everything in a database, or replace it."""

from tests import conftest
from tests.support import postgres
from tests.support.forms import KIND, field, file, form


def url_of(kind, folder):
    """The address of an empty database of one kind, or None where there is none."""
    if kind == "sqlite":
        return f"sqlite:///{folder / 'skerry.sqlite3'}"
    return postgres.fresh() if postgres.url() else None


def world_in(folder, url):
    """A new instance with the cast in it; the clients use JSON."""
    instance, log = conftest.make_instance(url, folder)
    return conftest.build_world(instance, log)


def open_with_file(client, project_id, title, content=b"hello"):
    """Open a ticket with a file and return its number."""
    raw = form(field("ticket[title]", title), file(content))
    answer = client.send("POST", f"/projects/{project_id}/tickets", raw=raw, kind=KIND)
    assert answer.status == 201, answer.body
    return answer.item["number"]


def live(world):
    """Let something of everything happen; return the id of the project."""
    ada, ben = world.people["ada"], world.people["ben"]
    project_id = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    world.join(project_id, ben)
    at = f"/projects/{project_id}"
    milestone = ada.post(f"{at}/milestones", {"milestone": {"title": "Dry"}}).item["id"]
    ticket = {"title": "Łeak", "body": "*Water* – 😀", "tag": "rain, cold night", "milestone_id": milestone}
    ada.post(f"{at}/tickets", {"ticket": {**ticket, "assigned_user_id": ben.user_id}})
    ben.put(f"{at}/tickets/1", {"ticket": {"state": "resolved", "body": "Done", "tag": "rain"}})
    number = open_with_file(ada, project_id, "With a file", b"\0\xff" * 1000)
    ben.put(f"{at}/tickets/{number}", {"ticket": {"body": "Seen"}})
    ada.delete(f"{at}/tickets/{open_with_file(ben, project_id, 'Gone')}")
    message = ada.post(f"{at}/messages", {"message": {"title": "News", "body": "Rain"}}).item["id"]
    ben.post(f"{at}/messages/{message}/comments", {"comment": {"body": "Again"}})
    ada.post(f"{at}/bins", {"bin": {"name": "Wet", "query": "tagged:rain"}})
    template = {"name": "Leak", "title": "Leak: ", "tag": "rain", "assigned_user_id": ben.user_id}
    ada.post(f"{at}/templates", {"template": template})
    changeset = {"revision": "1f", "title": "Patch", "changes": "[['M', 'roof']]"}
    ada.post(f"{at}/changesets", {"changeset": changeset})
    return project_id
