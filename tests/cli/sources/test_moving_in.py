"""What docs/moving-in.md says about other trackers is what the importers do."""

import re
import shlex
from pathlib import Path

import pytest

from skerry.transfer.sources import registry
from skerry.transfer.sources.columns import FIELDS, read_mapping
from tests.cli.sources import lab, octo, red, test_jira, trunk

PAGE = (Path(__file__).parents[3] / "docs" / "moving-in.md").read_text()
PART = PAGE.partition("## From another tracker\n")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^    skerry (import --from .*)$", PART, re.MULTILINE)
MAPPING = re.search(r"```text\n(.*?)```", PART, re.DOTALL)[1]
PEOPLE = re.search(r"```csv\n(.*?)```", PART, re.DOTALL)[1]
TABLE = "Title;Reported by;Step;Old text;Created\nIt leaks;Ada;done;Wet;03/04/2026\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the commands name."""
    answers = tmp_path / "answers"
    answers.mkdir()
    for name, content in octo.ANSWERS.items():
        (answers / name).write_text(content if isinstance(content, str) else octo.json.dumps(content))
    (tmp_path / "searched").mkdir()
    (tmp_path / "searched" / "page.json").write_text(octo.json.dumps({"issues": [test_jira.LEAK]}))
    (tmp_path / "redmine").mkdir()
    (tmp_path / "redmine" / "page.json").write_text(octo.json.dumps({"issues": [red.LEAK]}))
    trunk.environment(tmp_path / "env")
    lab.packed(tmp_path / "acme_roof_export.tar.gz")
    (tmp_path / "tickets.csv").write_text(TABLE.replace("03/04", "13/04"))
    (tmp_path / "columns.txt").write_text(MAPPING)
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_work(folder, terminal, command):
    said = terminal.good(*shlex.split(command))
    assert "Nothing was changed" in said
    assert re.search(r"Imported 1 project, [1-9]", said)


def test_there_are_commands_for_every_source_of_the_page():
    assert {shlex.split(command)[2] for command in COMMANDS} == set(registry.SOURCES)


def test_the_mapping_is_valid_and_every_field_is_named():
    mapped = read_mapping(MAPPING.encode())
    assert (mapped.columns["Reported by"], mapped.dates, mapped.closed) == (
        "author",
        "dmy",
        {"done", "dropped"},
    )
    fields = PART.partition("The fields are ")[2].partition(". Several")[0]
    assert re.findall(r"`([^`]+)`", fields) == list(FIELDS)
