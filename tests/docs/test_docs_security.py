"""The page of the threat model: its tables are whole, and what they name is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "security.md").read_text()
CHAPTERS = dict(re.findall(r"^### V(\d+) .*\n((?:(?!#).*\n)*)", TEXT, re.MULTILINE))
ROW = re.compile(r"^\| (\d+)\.[^|]+ \| [^|]+ \| ([^|]+) \| (.*?) ?\|$", re.MULTILINE)


def test_every_file_that_the_page_names_is_there():
    named = set(re.findall(r"`((?:tests|deploy|skerry)/[^`]*)`", TEXT))
    assert len(named) > 50
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_chapter_of_the_standard_that_applies_has_a_table_of_its_lines():
    assert list(CHAPTERS) == [str(number) for number in range(1, 17)]
    for chapter, text in CHAPTERS.items():
        # A line that one test holds with its neighbours may stand in one chapter for both.
        assert chapter in [row[0] for row in ROW.findall(text)], chapter


def test_every_line_has_a_state_and_says_what_holds_it():
    rows = ROW.findall(TEXT)
    assert {state for _, state, _ in rows} == {"held", "in part", "no", "n/a"}
    assert [row for row in rows if row[1] != "n/a" and not row[2]] == []
