"""Messages of many mail programs are parsed as the table says."""

import tomllib
from pathlib import Path

import pytest

from skerry.mail.incoming.parsing import parse

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = tomllib.loads((CORPUS / "expected.toml").read_text("utf-8"))
SERVER = "mx.tracker.example"


def test_every_message_stands_in_the_table():
    assert sorted(EXPECTED) == sorted(path.stem for path in CORPUS.glob("*.eml"))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_message_means_what_the_table_says(name):
    mail = parse((CORPUS / f"{name}.eml").read_bytes(), SERVER, own_address="skerry@tracker.example")
    expected = {"sender": "ben@example.org", "problem": "", **EXPECTED[name]}
    said = {"text": mail.reply.own, "whole": mail.whole.own, "commands": mail.reply.commands}
    found = {key: said[key] if key in said else getattr(mail, key) for key in expected}
    if "files" in expected:
        found["files"] = [f"{file.filename} {file.content_type} {len(file.content)}" for file in mail.files]
    if "references" in expected:
        found["references"] = list(mail.references)
    assert found == expected
