"""Every program that the documentation offers for measuring runs, briefly."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.sample import filled
from tests.support import chromium, postgres

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "performance.md").read_text()
TICKETS = 500


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return filled(f"sqlite:///{tmp_path_factory.mktemp('bench') / 'skerry.sqlite3'}", 500).url


def run(program, *options):
    words = [sys.executable, "-m", program, *options]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def measured(*options):
    return run("bench", "--quick", *options).split("aims")[-1].strip().splitlines()


def test_the_benchmark_does_every_operation_on_sqlite():
    named = re.findall(r"`([a-z]+-?[a-z0-9]*)`", PAGE.split("### Operations")[1].split("\n\n")[1])
    assert [line.split()[0] for line in measured()] == sorted(named, key=named.index)


@pytest.mark.faults
def test_the_benchmark_works_on_postgresql():
    url = postgres.url() or pytest.skip(postgres.reason())
    lines = measured("--database", url, "--only", "list-json,get-json,search-word,update")
    assert len(lines) == 4


def test_the_benchmark_makes_its_data_on_postgresql_too():
    made = filled(postgres.fresh() if postgres.url() else pytest.skip(postgres.reason()), TICKETS)
    assert (made.tickets_to_change > 0, made.pages > 0) == (True, True)


def test_the_options_that_the_page_documents_exist(monkeypatch):
    asked = re.findall(r'make bench(?: ARGS="([^"]*)")?', PAGE)
    assert len(asked) > 5
    for options in asked:
        monkeypatch.setattr("sys.argv", ["bench", *options.split()])
        bench._options()


def test_every_program_that_a_page_names_is_run_here():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.py")]
    named = {name for page in pages for name in re.findall(r"python -m bench\.(\w+)", page.read_text())}
    assert named == {
        "bare",
        "pages",
        "search",
        "team",
        "uploads",
        "wide",
    }  # the benchmark starts the bare program


def test_the_benchmark_of_a_team_refuses_nothing(sample):
    # One person alone never meets the changes of another.
    brief = ("--people", "1", "--think", "0.02", "--seconds", "1", "--warm-up", "0", "--workers", "1")
    assert "refused: 0" in run("bench.team", "--database", sample, *brief)


def test_searches_are_timed_over_http_too(sample):
    said = run("bench.search", "--database", sample, "--runs", "1", "--http")
    assert len(re.findall("^HTTP", said, re.MULTILINE)) > 10


def test_a_large_instance_can_be_filled_and_read():
    assert "Ada page /profile/tokens" in run("bench.wide", "--many", "3")


def test_a_large_file_goes_up_and_comes_back():
    said = run("bench.uploads", "--mebibytes", "1")
    assert [line.split()[0] for line in said.splitlines()] == ["upload", "download"]


def test_pages_are_weighed_and_worked_with_in_a_browser():
    if chromium.path() is None:
        pytest.skip("there is no Chromium here")
    brief = ("--tickets", "2", "--rhythms", "50", "--versions", "2", "--cards", "2")
    lines = run("bench.pages", *brief).splitlines()
    names = ["tickets", "ticket", "board", "inbox", "settings", "triage, a key every 50 ms"]
    assert [line.split(":")[0] for line in lines[:6]] == names
    assert lines[5].endswith("0 of 2 wrong")
    for line in lines[:5]:
        page, script, font = (float(each) for each in re.findall("([0-9.]+) kB", line))
        assert (page <= 45, script <= 60, font <= 50) == (True, True, True)
