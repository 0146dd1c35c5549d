"""The recipes of CONTRIBUTING.md, followed step by step in a copy of the program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Recipes")[2]

STEP = re.compile(
    r"(?:New file|In) `([^`]+)`(?:, (before|after|after each|instead of) `([^\n]+)`)?:"
    r"\n\n(`{3,})\w+\n(.*?)^\4$",
    re.DOTALL | re.MULTILINE,
)

# What drives the copy beside the added tests, and whether translations are one more file.
DRIVEN = {
    "A field on tickets": ("", True),
    "A resource": ("tests/docs/test_docs_api.py", True),
    "A query key": ("tests/text/test_query_docs.py", True),
    "A reader of events": ("tests/web/test_event_readers.py", False),
    "A migration": ("tests/store/test_schema.py -k sqlite", False),
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


@pytest.mark.parametrize("name", DRIVEN)
def test_a_recipe_leads_to_a_program_that_works(name, tmp_path):
    for folder in ("skerry", "tests", "docs"):
        ignored = shutil.ignore_patterns("__pycache__", "screenshots")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    recipe = RECIPES.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    touched = follow(recipe, tmp_path)
    driver, translated = DRIVEN[name]
    tests = [path for path in touched if path.startswith("tests/") and "/test_" in path]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *driver.split(), *tests],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
    limit = re.search(rf"^\| \[{name}\].*\| (\d+) \| (\d+) \|$", RECIPES, re.MULTILINE | re.IGNORECASE)
    assert len(touched) + translated == int(limit[1]) <= int(limit[2])
