"""Imports of what other trackers export, written by a test, into the account of the cast."""

import json

import pytest

from tests.cli.archives import account_named, place_of


@pytest.fixture
def write(tmp_path):
    """Writes files of another tracker, texts as they are and the others as JSON, and gives their folder."""

    def files(named, folder="export"):
        for name, content in named.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            raw = content if isinstance(content, str | bytes) else json.dumps(content)
            path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
        return tmp_path / folder

    return files


@pytest.fixture
def move(world, run):
    """Imports from another tracker into the world's account and gives what is said."""

    def moved(kind, path, *words):
        return run(place_of(world), "import", "--from", kind, path, "--account", account_named(world), *words)

    return moved


@pytest.fixture
def moved(world, move):
    """Imports from another tracker and gives the tickets of the new project by number."""

    def all_tickets(kind, path, *words):
        ada = world.people["ada"]
        before = {each["id"] for each in ada.get("/projects").items}
        move(kind, path, *words)
        (project,) = (each["id"] for each in ada.get("/projects").items if each["id"] not in before)
        listed = ada.get(f"/projects/{project}/tickets?q=sort:number").items
        numbers = [each["number"] for each in listed]
        return {number: ada.get(f"/projects/{project}/tickets/{number}").item for number in numbers}

    return all_tickets


@pytest.fixture
def earlier(world):
    """Gives the earlier texts of the first version of a ticket, each with its author and day."""

    def texts(ticket):
        place = f"/projects/{ticket['project_id']}/tickets/{ticket['number']}/versions/1/texts"
        found = world.people["ada"].get(place).items
        return [(each["body"], each["user_name"], each["created_at"][8:10]) for each in found]

    return texts
