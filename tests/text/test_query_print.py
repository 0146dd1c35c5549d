"""Parsed queries printed as text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.queries.query import MAX_PREFIXES, parse
from skerry.text.queries.query_keys import KEYS
from skerry.text.queries.query_print import print_query, quoted
from skerry.text.queries.query_tree import Query, QueryError, Term, Text

FRAGMENTS = st.sampled_from(
    [
        *(
            " ",
            " ",
            " ",
            "(",
            ")",
            "-",
            "not-",
            "OR",
            "all",
            "*",
            "'",
            '"',
            ",",
            ":",
            "/",
            "#",
            "12",
            "a",
            "bé",
            "''",
        ),
        *(f"{key}:" for key in KEYS),
        *(
            "sort:",
            "title-",
            "today",
            "'last week'",
            ">2",
            "none",
            "'None'",
            "state:(a,'b c')",
            "state:x",
            " state:y ",
            "keyword:(",
        ),
    ]
)
PIECES = st.sampled_from(
    [
        *(
            "a",
            "bé*",
            "'b c'",
            "12",
            "#7",
            "all",
            "don't",
            "x(y)",
            "http://x",
            ":y",
            "a,b",
            'q"r',
            "keyword:-z",
            "keyword:OR",
        ),
        *(
            "keyword:(/a:b,all,cc*)",
            "keyword:x:y",
            "state:a",
            "state:b",
            "state:('c d',\"it's\",/x)",
            "tagged:'a\"''b'",
        ),
        *(
            "title:(/a,bb*)",
            "title:'x'",
            "importance:>=3",
            "created:'since 2 days ago'",
            "number:(1,<5)",
            "milestone:id#7",
        ),
    ]
)


def _combined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(parts, min_size=1, max_size=4)
    return st.one_of(
        several.map(" ".join),
        several.map(lambda texts: f"({' '.join(texts)})"),
        several.map(lambda texts: f"({' OR '.join(texts)})"),
        parts.map(lambda text: f"-({text})"),
    )


@settings(deadline=None, max_examples=100)
@given(st.one_of(st.text(max_size=40), st.lists(FRAGMENTS, max_size=12).map("".join)))
def test_any_text_is_understood_or_refused_with_a_place_in_it(text: str) -> None:
    try:
        query = parse(text)
    except QueryError as refusal:
        assert 1 <= refusal.position <= max(len(text), 1)  # noqa: PT017
        return
    assert parse(print_query(query)) == query


@settings(deadline=None, max_examples=100)
@given(
    st.recursive(PIECES, _combined, max_leaves=MAX_PREFIXES),
    st.sampled_from(["", " sort:title-", " sort:(number,state)"]),
)
def test_a_printed_query_parses_to_the_same_query(text: str, sort: str) -> None:
    query = parse(text + sort)
    assert parse(print_query(query)) == query


@pytest.mark.parametrize(
    "text", ["plain", "a-b", "two words", "it's", 'say "hi"', 'it\'s "both"', "/x", ":x", "a,b", "(x)"]
)
def test_any_value_can_be_quoted_to_follow_a_keyword(text: str) -> None:
    assert parse(f"tagged:{quoted(text)}") == Query(Term("tagged", (Text(text),)))


def test_a_value_without_blanks_or_marks_needs_no_quotes() -> None:
    assert (quoted("2.3.5"), quoted("two words"), quoted('a "b"')) == ("2.3.5", '"two words"', "'a \"b\"'")
