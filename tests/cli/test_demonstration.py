"""The demonstration."""

import re

import pytest

from tests.cli.archives import empty_place
from tests.cli.terminal import output, world_at
from tests.support.client import basic

LOGINS = ("ada@demo.example", "ben@demo.example", "cleo@demo.example")


def password_in(said):
    return re.search(r"password +(\w+)", said)[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data folder with the demonstration, and the password of its people."""
    folder = tmp_path_factory.mktemp("demonstration")
    return folder, password_in(output(empty_place("sqlite", folder), "demo"))


@pytest.fixture
def reader(made):
    """Somebody who is signed in as one of the people of the demonstration."""
    folder, password = made
    with world_at(folder) as world:
        yield world.client(**basic(LOGINS[2], password))


def test_a_demonstration_has_people_conversations_milestones_commits_and_views(reader):
    (project,) = reader.get("/projects").items
    root = f"/projects/{project['id']}"
    assert reader.get(f"{root}/tickets").headers["x-total-count"] == "40"
    for path, least in (("milestones", 3), ("messages", 2), ("changesets", 5), ("bins", 6)):
        assert len(reader.get(f"{root}/{path}").items) >= least
    authors = {each["user_name"] for each in reader.get(f"{root}/tickets/21").item["versions"]}
    assert authors == {"Ben Okafor", "Cleo Moreau"}


def test_what_happens_in_the_demonstration_happened_in_the_last_weeks(reader):
    found = {"due:overdue": "1", "is:blocked": "1", "parent:%2319": "4", "created:'since 3 days ago'": "6"}
    for words, count in found.items():
        answer = reader.get(f"/projects/1/tickets?q={words.replace(' ', '+')}")
        assert answer.headers["x-total-count"] == count, words


def test_a_demonstration_is_made_once_and_leaves_an_account_to_its_owner(terminal):
    said = terminal.good("demo")
    assert all(login in said for login in LOGINS)
    assert terminal.good("user", "list").count("\tmember\t") == len(LOGINS)
    assert terminal.bad("demo") == "The demonstration is here already"
