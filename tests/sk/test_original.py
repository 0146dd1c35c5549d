"""``sk`` with a server that has the original's interface and nothing else."""

import json

import pytest


@pytest.fixture
def old(shell, original):
    """A terminal that is signed in to such a server."""
    shell.good("login", original.url, read="T\n")
    return shell


def test_what_the_original_has_is_shown(old):
    assert old.good("list", "rain").split("\t")[:4] == ["12", "It leaks", "new", "7"]
    assert "Rain\n── 7 \nSealed" in old.good("show", 12)
    assert old.good("projects") == "3\tRoof\t1\t\n"
    assert old.good("bins") == "5\tWet\ttagged:rain\t0\n"
    assert old.good("milestones") == "4\tDry\t\t0\t0\n"


def test_what_the_original_can_change_is_changed(old, original):
    assert old.good("new", "Leak", "--assign", "ben", "--milestone", "dry") == "Opened #12\n"
    old.good("comment", 12, "-t", "Sealed")
    old.good("edit", 12, "state:resolved")
    old.good("edit", 12, "--title", "Flood", "--tag", "wet")
    assert [body["ticket"] for _, body in original.sent] == [
        {"title": "Leak", "body": "", "assigned_user_id": 7, "milestone_id": 4},
        {"body": "Sealed"},
        {"state": "resolved"},
        {"tag": "wet", "title": "Flood"},
    ]


def test_what_the_original_does_not_have_is_one_sentence(old):
    for words in (("events",), ("bulk", "rain", "state:open"), ("edit", 12, "due:today")):
        assert old.bad(*words) == (1, "The server answered 404 Not Found")


def test_a_change_is_not_sent_twice_to_who_knows_no_keys(old, shell):
    (server,) = json.loads((shell.folder / "skerry/servers.json").read_text())["servers"].values()
    assert server["knows_keys"] is False
