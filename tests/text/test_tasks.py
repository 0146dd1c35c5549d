"""Task lists: items with boxes, each of which can be ticked in its text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.markdown import MAX_TEXT_LENGTH, render, ticked

PIECES = [
    "- [ ] a",
    "* [x] b",
    "1. [X] c",
    "[ ] d",
    "- e",
    "> ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "- ",
    "```",
    "|",
]
PIECES += ["<b>", "<table>", "<td>", "</table>", "[x]: /y", "\t", "é\x00", "[ ] "]


def boxes(text: str) -> dict[int, bool]:
    """Which tasks a text shows, by number, and whether each is done."""
    found = re.findall(
        r'<input type="checkbox" value="([0-9]+)"[^>]*?( checked="")?(?: disabled="")>', render(text, 1)
    )
    assert len(found) == render(text, 1).count("<input")
    return {int(number): bool(done) for number, done in found}


def test_tasks_are_shown_as_boxes_that_nobody_can_press() -> None:
    html = render("- [ ] find *it*\n- [x] buy `a<b`\n- no task", 1)
    first = '<li><input type="checkbox" value="1" aria-label="find it" disabled=""> find <em>it</em></li>'
    second = '<input type="checkbox" value="2" aria-label="buy a&lt;b" checked="" disabled="">'
    rest = "<code>a&lt;b</code></li>\n<li>no task</li>\n</ul></div>"
    assert html == f"<div><ul>\n{first}\n<li>{second} buy {rest}"


@pytest.mark.parametrize("text", ["[ ] a", "- [] a", "- [y] a", "-[ ] a", "    - [ ] a", "`- [ ] a`"])
def test_text_that_only_looks_like_a_task_is_not_one(text: str) -> None:
    assert boxes(text) == {}


@pytest.mark.parametrize("text", ["<input type=checkbox>", '<input type="checkbox" value="1" checked="">'])
def test_nobody_writes_a_box_as_html(text: str) -> None:
    assert "<input" not in render(text, 1)


@pytest.mark.parametrize(
    ("text", "number", "after"),
    [
        ("- [ ] a\r\n- [X] b", 1, "- [x] a\r\n- [X] b"),
        ("a\n\n> 1. [ ] b\n> 2. [ ] c", 2, "a\n\n> 1. [ ] b\n> 2. [x] c"),
        ("- [x] - [ ] b", 2, "- [x] - [x] b"),
        ("- - [ ] [ ] b", 1, "- - [x] [ ] b"),
        ("```\n- [ ] a\n```\n- [ ] b", 1, "```\n- [ ] a\n```\n- [x] b"),
    ],
)
def test_a_tick_changes_its_box_and_nothing_else(text: str, number: int, after: str) -> None:
    assert ticked(text, number, done=True) == after


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_missing_task_cannot_be_ticked(number: int) -> None:
    assert ticked("- [ ] a", number, done=True) is None
    assert ticked("- [ ] a\n" + "x" * MAX_TEXT_LENGTH, 1, done=True) is None


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.booleans())
@settings(deadline=None, max_examples=300)
def test_each_box_of_any_text_can_be_ticked(text: str, done: bool) -> None:
    before = boxes(text)
    for number in before:
        after = ticked(text, number, done=done)
        assert after is not None
        assert boxes(after) == {**before, number: done}
