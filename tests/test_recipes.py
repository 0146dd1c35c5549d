"""The recipes of CONTRIBUTING.md, followed step by step in a copy of the program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import postgres

ROOT = Path(__file__).parents[1]
RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Recipes")[2]

STEP = re.compile(
    r"(?:New file|In) `([^`]+)`(?:, (before|after|after each|instead of) `([^\n]+)`)?:"
    r"\n\n(`{3,})\w+\n(.*?)^\4$",
    re.DOTALL | re.MULTILINE,
)

# The recipes, and whether translations are one more file.
DRIVEN = {
    "A field on tickets": True,
    "A resource": True,
    "A query key": True,
    "A reader of events": False,
    "A migration": False,
}

# What drives the copy beside the added tests: all that holds what the steps write against something else.
_API, _SCHEMA = "tests/docs/test_docs_api.py::test_every", "tests/store/test_schema.py::test"
DRIVERS = {
    *(f"{_API}_example_gets_the_answer_below_it[{page}]" for page in ("labels", "tickets")),
    *(f"{_API}_page_can_be_reached_from_the_first", f"{_API}_kind_of_event_is_named"),
    *(f"{_API}thing_in_the_map_has_an_example", f"{_API}thing_that_can_be_sent_is_named"),
    *(
        f"{_SCHEMA}_the_migrations_make_exactly_the_tables",
        f"{_SCHEMA}_the_same_holds_in_the_database_itself",
    ),
    f"{_SCHEMA}_every_rule_of_what_belongs_to_an_account_begins_with_the_account",
    "tests/text/test_query_docs.py",
}


def newest(versions):
    """Return the number of the migration after which none comes."""
    texts = "".join(path.read_text() for path in versions.glob("*.py"))
    (last,) = set(re.findall(r'^revision = "(\w+)"', texts, re.MULTILINE)) - set(
        re.findall(r'^down_revision = "(\w+)"', texts, re.MULTILINE)
    )
    return last


def follow(recipe, copy):
    """Take the steps of a recipe in a copy of the project; return the files that it touches."""
    last = newest(copy / "skerry/store/engine/migrations/versions")
    numbered = recipe.replace("NEXT", f"{int(last) + 1:04}").replace("NEWEST", last)
    steps = STEP.findall(numbered)
    for path, where, anchor, _, text in steps:
        file = copy / path
        assert file.exists() == bool(where), path
        file.write_text(edited(file.read_text(), where, anchor, text) if where else text, encoding="utf-8")
    return {path for path, *_ in steps}


def edited(source, where, anchor, text):
    lines = source.splitlines(keepends=True)
    found = [number for number, line in enumerate(lines) if anchor in line]
    assert found, anchor
    for number in reversed(found if where == "after each" else found[:1]):
        end = number + (where != "before")
        lines[end - (where == "instead of") : end] = [text]
    return "".join(lines)


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """A copy of the project in which all recipes were followed, and the files that each one touched."""
    copy = tmp_path_factory.mktemp("followed")
    for folder in ("skerry", "tests", "docs"):
        ignored = shutil.ignore_patterns("screenshots")  # what is compiled holds for what no step edits
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    recipes = {name: RECIPES.partition(f"\n### {name}\n")[2].partition("\n### ")[0] for name in DRIVEN}
    return copy, {name: follow(recipe, copy) for name, recipe in recipes.items()}


def test_what_the_recipes_write_is_in_the_style_of_the_project(followed):
    copy, touched = followed
    sources = sorted(path for path in set().union(*touched.values()) if path.endswith(".py"))
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise", *sources]
    found = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_recipes_lead_to_a_program_that_works(followed):
    copy, touched = followed
    tests = {path for paths in touched.values() for path in paths if re.search(r"^tests/.*/test_", path)}
    # Databases of its own on the server of this run.
    database = {postgres.GIVEN: os.environ[postgres.SERVER]} if postgres.url() else {}
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            *sorted(tests.union(DRIVERS)),
        ],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), **database},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]


@pytest.mark.parametrize("name", DRIVEN)
def test_a_recipe_touches_no_more_files_than_it_says(followed, name):
    touched, translated = followed[1][name], DRIVEN[name]
    limit = re.search(rf"^\| \[{name}\].*\| (\d+) \| (\d+) \|$", RECIPES, re.MULTILINE | re.IGNORECASE)
    assert len(touched) + translated == int(limit[1]) <= int(limit[2])
