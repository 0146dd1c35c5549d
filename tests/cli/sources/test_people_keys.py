"""A list gives people an address by the keys that they have in the other tracker."""

import pytest

from skerry.errors import Invalid
from tests.cli.archives import account_named, place_of
from tests.cli.sources import lab, octo, red, test_jira, trunk

TABLE = "Title;Reported by;Created\nIt leaks;Cy Clay;2026-03-13\n"


@pytest.fixture
def sources(tmp_path, write):
    """A source of each tracker."""
    return {
        "csv": write({"t.csv": TABLE}, "csv") / "t.csv",
        "github": write(octo.ANSWERS, "github"),
        "gitlab": lab.packed(tmp_path / "roof.tar.gz"),
        "jira": write({"a.json": {"issues": [test_jira.LEAK]}}, "jira"),
        "redmine": write({"a.json": {"issues": [red.LEAK]}}, "redmine"),
        "trac": trunk.environment(tmp_path / "env"),
    }


KEYS = {
    "csv": "Cy Clay",
    "github": "cy",
    "gitlab": "Ben 23",
    "jira": "5:1",
    "redmine": "9",
    "trac": "cy@old.example",
}


def named(tickets):
    """Return the ids of all people of tickets."""
    versions = [version for each in tickets.values() for version in each["versions"]]
    return {each[name] for each in versions for name in ("user_id", "creator_id", "assigned_user_id")}


@pytest.mark.parametrize("kind", KEYS)
def test_a_list_has_the_keys_of_the_tracker(kind, sources, moved, world, tmp_path):
    ben = world.people["ben"]
    (tmp_path / "people.csv").write_text(f"key,email\n{KEYS[kind]},{ben.email}\n")
    assert ben.user_id in named(moved(kind, sources[kind], "--people", tmp_path / "people.csv"))


@pytest.mark.parametrize("kind", KEYS)
def test_a_dry_run_names_the_keys(kind, sources, move, tmp_path):
    (tmp_path / "people.csv").write_text("nobody here;ben@new.example")
    said = move(kind, sources[kind], "--people", tmp_path / "people.csv", "--dry-run")
    (keys,) = (line for line in said.splitlines() if "for --people, their keys are: " in line)
    assert KEYS[kind] in keys
    assert "1 person of the list does not occur in the imported part of the archive" in said


@pytest.mark.parametrize("kind", ["jira", "redmine"])
def test_placeholders_are_given_by_key_later(kind, sources, move, world, run, tmp_path):
    ben, place, account = world.people["ben"], place_of(world), ("--account", account_named(world))
    move(kind, sources[kind])
    home = run(place, "user", "placeholders", *account).split("\t")[-1].rpartition("/")[0]
    (tmp_path / "people.csv").write_text(f"{KEYS[kind]},{ben.email}\n")
    words = ("--people", tmp_path / "people.csv", "--source", home)
    assert f"is user {ben.user_id} now." in run(place, "user", "assign", *words, *account)


def test_a_key_is_needed_once(sources, move, tmp_path):
    for text, sentence in (
        (",a@b.example", "column 1, must be what the other tracker"),
        ("9,a@b\n9,c@d", "again"),
    ):
        (tmp_path / "people.csv").write_text(f"key,email\n{text}")
        with pytest.raises(Invalid, match=sentence):
            move("redmine", sources["redmine"], "--people", tmp_path / "people.csv")
