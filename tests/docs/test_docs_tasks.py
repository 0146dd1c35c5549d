"""The three ways of each task on docs/tasks.md do the same to a project of their own."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import PATIENCE, ROOT
from tests.support.small_world import reachable

TEXT = Path(ROOT, "docs", "tasks.md").read_text(encoding="utf-8")
CODE = re.compile(r"```(?:sh|python)\n(.*?)```", re.DOTALL)
FIRST, *TASKS = re.split(r"^## ", TEXT, flags=re.MULTILINE)
SHELL, PYTHON = CODE.findall(FIRST)
READING = {
    "See who you are": "Ada",
    "Search": "It leaks",
    "Read what happened": "ticket.created",
    "Export a list for a spreadsheet": "It leaks",
}
"""The tasks that change nothing, and what they print."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    program = folder / "sk"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m skerry.sk "$@"\n')
    program.chmod(0o700)
    with reachable(folder) as world:
        dee = world.person("dee", "member")
        assert (world.people["ben"].user_id, dee.user_id) == (2, 4), "as the page says"
        world.people["ada"].post("/projects", {"project": {"name": "Attic"}})
        world.folder = folder
        yield world


def project(server):
    """Return the path of a new project with two tickets and a milestone."""
    ada = server.people["ada"]
    number = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    server.join(number, server.people["ben"])
    path = f"/projects/{number}"
    ada.post(f"{path}/milestones", {"milestone": {"title": "Dry by autumn", "due_on": "2030-10-01"}})
    ada.post(f"{path}/tickets", {"ticket": {"title": "It leaks", "tag": "rain"}})
    ada.post(f"{path}/tickets", {"ticket": {"title": "Clean the stairs"}})
    return path


def state(server, path):
    """Return what tasks change in a project."""
    ada = server.people["ada"]

    def some(kind, *names):
        return [[item[name] for name in names] for item in ada.get(f"{path}/{kind}").items]

    values = ("title", "state", "tag", "assigned_user_id", "due_on", "milestone_title", "watchers_ids")
    numbers = [item["number"] for item in ada.get(f"{path}/tickets").items]
    tickets = [ada.get(f"{path}/tickets/{number}").item for number in sorted(numbers)]
    return {
        "tickets": [[ticket[name] for name in values] for ticket in tickets],
        "texts": ["Two tiles are broken." in str(ticket["versions"]) for ticket in tickets],
        "links": [some(f"tickets/{number}/links", "kind", "ticket") for number in sorted(numbers)],
        "claims": [ada.get(f"{path}/tickets/{number}/claim").item["worker"] for number in sorted(numbers)],
        "milestones": some("milestones", "title", "due_on"),
        "bins": some("bins", "name", "query"),
        "changesets": some("changesets", "revision", "title"),
        "hooks": some("hooks", "url", "events"),
        "members": some("memberships", "user_id"),
    }


def run(server, path, way, code, monkeypatch):
    """Run code in one of the three ways and return what it prints."""
    monkeypatch.setenv("SKERRY_URL", server.address)
    monkeypatch.setenv("SKERRY_TOKEN", server.people["ada"].headers["X-ServiceToken"])
    monkeypatch.setenv("SKERRY_PROJECT", path.rpartition("/")[2])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(server.folder))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", str(server.folder), prepend=os.pathsep)
    if way == "Python":
        names, said = {}, io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(PYTHON, names)  # noqa: S102 - our own page
            with names["client"]:
                exec(code, names)  # noqa: S102 - our own page
        return said.getvalue()
    code = f"{SHELL}\n{code}" if way == "curl" else code
    words = ["sh", "-ec", code]
    ran = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert ran.returncode == 0, f"{code}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def test_there_are_twenty_tasks():
    assert len(TASKS) == 20


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.partition("\n")[0])
def test_the_three_ways_of_a_task_do_the_same(server, monkeypatch, task):
    title = task.partition("\n")[0]
    found = {}
    for way, code in zip(("curl", "sk", "Python"), CODE.findall(task), strict=True):
        path = project(server)
        before = state(server, path)
        said = run(server, path, way, code, monkeypatch)
        found[way] = state(server, path)
        assert (found[way] == before) == (title in READING), way
        assert READING.get(title, "") in said, way
    assert found["curl"] == found["sk"] == found["Python"]
