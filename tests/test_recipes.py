"""The recipes of CONTRIBUTING.md, followed step by step in a copy of the program."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support import postgres

ROOT = Path(__file__).parents[1]
RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Recipes")[2]

IMPORT = re.compile(r"^from ([\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
STEP = re.compile(
    r"(?:New file|In) `([^`]+)`(?:, (before|after|after each|instead of) `([^\n]+)`)?:"
    r"\n\n(`{3,})\w+\n(.*?)^\4$",
    re.DOTALL | re.MULTILINE,
)

# The recipes, and whether translations are one more file.
DRIVEN = {
    "A field on tickets": True,
    "Its query key": True,
    "A resource": True,
    "Its page": True,
    "A query key": True,
    "A reader of events": False,
    "A migration": False,
}

# What several recipes touch together, at most.
TOGETHER = {("A field on tickets", "Its query key"): 10}

# Where the recipes declare things. Tests that import these, or support that does, may notice a new one.
DECLARATIONS = (
    "skerry.database.schema",
    "skerry.resources",
    "skerry.store.tables",
    "skerry.text.queries",
    "skerry.tracker.events.events",
    "skerry.web.openapi",
    "skerry.web.routes",
)

# What takes long, and would not notice: running programs, the site of the documentation, random texts, steps
# and requests, what is asked of divided tables (test_distribution.py asks the same of each statement),
# connections, plans, streams for each kind of reader, what is kept and compared whatever it is, and pages to
# which no recipe adds anything.
APART = {
    *("browser", "cli", "concurrency", "server"),
    *("test_commands.py", "test_control_characters.py", "test_database.py", "test_dividing.py"),
    *(
        "test_docs_site.py",
        "test_fuzz.py",
        "test_generated_client.py",
        "test_hidden_names.py",
        "test_idempotency.py",
    ),
    *("test_known_tickets.py", "test_live_pages.py", "test_plans.py", "test_profile.py"),
    *("test_projects.py", "test_revalidation.py", "test_same_steps.py", "test_schemathesis.py"),
    "test_search_places.py",
}

# Of what runs for each route or each page of the documentation, those of the recipes are enough; of what runs
# on both databases, one; and of searches, those that are written for people. Nothing of theirs is translated.
CHOSEN = (
    "(not postgres or test_schema or test_search) and (not project_id or labels or tickets)"
    " and (not test_every_example or labels or tickets) and not hostile and not translated"
)


@cache
def may_notice(file):
    """Return whether a test, or the test support that it imports, imports the declarations."""
    names = [name for line in IMPORT.findall(file.read_text(encoding="utf-8")) for name in imported(*line)]
    support = {ROOT / f"{name.replace('.', '/')}.py" for name in names if name.startswith("tests.support.")}
    return any(name.startswith(DECLARATIONS) for name in names) or any(
        may_notice(each) for each in support if each.is_file()
    )


def imported(module, names):
    """Return a module, and what is imported from it, with their whole names."""
    return [module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]


def newest(versions):
    """Return the number of the migration after which none comes."""
    texts = "".join(path.read_text() for path in versions.glob("*.py"))
    (last,) = set(re.findall(r'^revision = "(\w+)"', texts, re.MULTILINE)) - set(
        re.findall(r'^down_revision = "(\w+)"', texts, re.MULTILINE)
    )
    return last


def follow(recipe, copy):
    """Take the steps of a recipe in a copy of the project; return the files that it touches."""
    last = newest(copy / "skerry/database/migrations/versions")
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


def test_the_code_of_the_recipes_follows_the_style_of_the_project(followed):
    copy, touched = followed
    sources = sorted(path for path in set().union(*touched.values()) if path.endswith(".py"))
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise", *sources]
    found = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_recipes_lead_to_a_program_that_works(followed):
    copy, touched = followed
    added = {path for paths in touched.values() for path in paths if re.search(r"^tests/.*/test_", path)}
    files = [file for file in ROOT.glob("tests/**/test_*.py") if may_notice(file)]
    known = {str(file.relative_to(ROOT)) for file in files if not APART & {*file.parts}}
    # Databases of its own on the server of this run.
    database = {postgres.GIVEN: os.environ[postgres.SERVER]} if postgres.url() else {}
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n0",
            "-k",
            CHOSEN,
            "-p",
            "no:cacheprovider",
            *sorted(added | known),
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


@pytest.mark.parametrize("names", TOGETHER)
def test_recipes_that_belong_together_touch_few_files(followed, names):
    files = set().union(*(followed[1][name] for name in names))
    assert len(files) + any(DRIVEN[name] for name in names) <= TOGETHER[names]
