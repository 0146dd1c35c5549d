"""Completion of unfinished queries."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.queries.query_complete import Completion, complete

UNFINISHED = st.text(alphabet=" ()-'\",:/#aot", max_size=40)


@pytest.mark.parametrize(
    ("text", "completion"),
    [
        ("|", Completion("key", 0, 0)),
        ("sta|", Completion("key", 0, 3, "sta")),
        ("a -sta|", Completion("key", 3, 6, "sta")),
        ("not-st|a", Completion("key", 4, 7, "st")),
        ("(st|ate:open)", Completion("key", 1, 7, "st")),
        ("state:|", Completion("value", 6, 6, "", "state")),
        ("assigned:m|e x", Completion("value", 9, 11, "m", "responsible")),
        ("state:(new,o|p)", Completion("value", 11, 13, "o", "state")),
        ("state:(new, |", Completion("value", 12, 12, "", "state")),
        ("state:('on h|", Completion("value", 7, 12, "on h", "state")),
        ("state:(|)", Completion("value", 7, 7, "", "state")),
        ("state:(a)|", Completion("word", 9, 9)),
        ("milestone:'Next r|el' x", Completion("value", 10, 20, "Next r", "milestone")),
        ("sort:upd|", Completion("value", 5, 8, "upd", "sort")),
        ("zebra:b|", Completion("value", 6, 7, "b", "zebra")),
        ("'ab |c'", Completion("word", 0, 6, "ab ")),
        ("http://x|", Completion("word", 0, 8, "http://x")),
        ("#1|2", Completion("word", 0, 3, "#1")),
        ("a | b", Completion("key", 2, 2)),
    ],
)
def test_the_part_at_the_caret_is_found(text: str, completion: Completion) -> None:
    assert complete(text.replace("|", ""), text.index("|")) == completion


@settings(deadline=None)
@given(st.one_of(st.text(), UNFINISHED, UNFINISHED.map("not-state:({}".format)), st.integers(-3, 60))
def test_any_caret_in_any_text_has_something_to_complete(text: str, caret: int) -> None:
    found = complete(text, caret)
    assert 0 <= found.start <= found.end <= len(text)
    assert found.prefix in text
