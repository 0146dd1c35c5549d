"""States and levels as rows of a form."""

import pytest

from skerry.text.levels import DEFAULT
from skerry.text.palette import PALETTE
from skerry.text.settings_rows import moved, read_rows, write_rows
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT


@pytest.mark.parametrize("text", [OPEN_DEFAULT, CLOSED_DEFAULT, DEFAULT, "# first\nnew/f17\n# last", ""])
def test_rows_say_what_the_text_said(text):
    rows = read_rows(text)
    assert write_rows(rows).split() == text.split()
    assert write_rows(read_rows(write_rows(rows))) == write_rows(rows)


@pytest.mark.parametrize("text", ["new", "new//", "new/xyz", "\n".join(f"s{n}/f17" for n in range(31))])
def test_what_is_no_list_of_rows_stays_a_text(text):
    assert read_rows(text) is None


def test_a_row_moves_among_the_others_and_never_beyond():
    rows = read_rows("a/111\nb/222\nc/333")
    names = lambda move: "".join(row.name for row in moved(rows, move))  # noqa: E731 - short
    assert [names(move) for move in ("0 down", "2 up", "0 up", "2 down", "9 up", "x", "")] == [
        *("bac", "acb"),
        *["abc"] * 5,
    ]


def luminance(color):
    parts = [int(color[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("background", ["ffffff", "f3f3f5", "101113", "1c1d20"])
def test_the_offered_colours_are_seen_in_both_themes(background):
    for color in PALETTE:
        high, low = sorted((luminance(color), luminance(background)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3, color
