"""Characters that end a line or cannot be seen."""

import pytest

from skerry.text.characters import one_line


@pytest.mark.parametrize("end", ["\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\t"])
def test_a_line_end_becomes_a_blank(end):
    assert one_line(f"{end}Rain{end}{end}and wind{end}") == "Rain and wind"


@pytest.mark.parametrize("text", ["👩‍💻 at work", "שלום עולם", "می‌خواهم", "two  blanks", "e\u0301"])
def test_allowed_characters_stay_in_a_line(text):
    assert one_line(text) == text


def test_marks_that_change_the_direction_are_removed():
    assert one_line("\u202egnp.\u2066exe") == "gnp.exe"
