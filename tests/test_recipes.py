"""The recipes of the documentation, followed in a copy of the program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

MIGRATION = '''"""Tickets have an estimate."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{newest}"


def upgrade() -> None:
    """Add the columns."""
    for table in ("tickets", "versions"):
        op.add_column(table, sa.Column("estimate", sa.Integer(), nullable=False, server_default="0"))
'''

DECLARED = """\
    estimate: Annotated[int, writable, within(0, 999), recorded(7, "the estimate")] = 0
"""

TEST = '''"""The estimate of a ticket."""


def test_an_estimate_is_kept_and_recorded(ada, tickets):
    made = ada.post(tickets, {"ticket": {"title": "Roof", "estimate": 3}}).item
    after = ada.put(f"{tickets}/{made['number']}", {"ticket": {"estimate": 5}}).item
    versions = ada.get(f"{tickets}/{made['number']}").item["versions"]
    assert (made["estimate"], after["estimate"], versions[0]["estimate"]) == (3, 5, 3)
    assert versions[1]["diffable_attributes"] == {"estimate": 3}


def test_an_estimate_has_bounds(ada, tickets):
    refused = ada.post(tickets, {"ticket": {"title": "Roof", "estimate": 1000}})
    assert refused.errors == ["Estimate must be a whole number from 0 to 999"]


def test_an_estimate_stands_on_pages(surfing, ada, tickets):
    number = ada.post(tickets, {"ticket": {"title": "Roof", "estimate": 3}}).item["number"]
    ada.put(f"{tickets}/{number}", {"ticket": {"estimate": 5}})
    page = surfing(ada).get(f"{tickets}/{number}")
    assert 'type="number" min="0" max="999" value="5"' in page.source
    assert "Estimate: 3 → 5" in page.text
'''


def replaced(path, *pairs):
    text = path.read_text()
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after, 1)
    path.write_text(text)
    return path


def newest(versions):
    """Give the migration after which none comes."""
    texts = [path.read_text() for path in versions.glob("*.py")]
    made = {name for text in texts for name in re.findall(r'^revision = "(\w+)"', text, re.MULTILINE)}
    followed = {
        name for text in texts for name in re.findall(r'^down_revision = "(\w+)"', text, re.MULTILINE)
    }
    (last,) = made - followed
    return last


def add_estimate(copy):
    """Follow the recipe for a field on tickets; give the files of the program and its tests."""
    skerry = copy / "skerry"
    versions = skerry / "store" / "migrations" / "versions"
    migration = versions / "9999_estimates.py"
    migration.write_text(MIGRATION.format(newest=newest(versions)))
    test = copy / "tests" / "site" / "test_estimate.py"
    test.write_text(TEST)
    column = '    Column("importance", Integer, nullable=False),\n'
    estimate = '    Column("estimate", Integer, nullable=False, server_default="0"),\n'
    return {
        migration,
        test,
        replaced(
            skerry / "resources" / "tickets.py",
            ("    importance: Annotated", f"{DECLARED}    importance: Annotated"),
            ("    importance: int = 0\n", "    estimate: int = 0\n    importance: int = 0\n"),
        ),
        replaced(
            skerry / "store" / "tables" / "ticket.py",
            (f'{column}    number("assigned', f'{column}{estimate}    number("assigned'),
            (f'{column}    number("assigned', f'{column}{estimate}    number("assigned'),
        ),
    }


def test_a_field_on_tickets_is_added_by_its_recipe(tmp_path):
    for name in ("skerry", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    touched = add_estimate(tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [*command, f"--basetemp={tmp_path / 'temporary'}", "tests/site/test_estimate.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
    # The description of the interface and the catalogue of each other language are two more.
    assert len(touched) + 2 <= 6
