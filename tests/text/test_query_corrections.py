"""What a query with a mistake probably means."""

import pytest

from skerry.text.queries.query import parse
from skerry.text.queries.query_corrections import corrected, examples_of
from skerry.text.queries.query_tree import QueryError


def mistake(text):
    with pytest.raises(QueryError) as caught:
        parse(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("leak stat:open", "leak state:open"),
        ("label:wet", "tagged:wet"),
        ("is:open", "state:open"),
        ("state: open", "state:open"),
        ("created:31.1.2027", "created:2027-01-31"),
        ("due:2027/1/31", "due:2027-01-31"),
        ("due:2009-02-30", "due:2009-02-28"),
        ("due:2027-02", "due:2027-02-01..2027-02-28"),
        ("created:2026", "created:2026-01-01..2026-12-31"),
        ("created:1.2.2026..28.2.2026", "created:2026-02-01..2026-02-28"),
        ("due:2027-02-03..2027-01-31", "due:2027-01-31..2027-02-03"),
        ("due:tommorow", "due:tomorrow"),
        ("updated:7d", "updated:'7 days ago'"),
        ("due:=<31.1.2027", "due:<=2027-01-31"),
        ("number:=>5 wet", "number:>=5 wet"),
        ("number:5,000", "number:5000"),
        ("number:12a", "number:12"),
        ("number:!=5", "-number:5"),
        ("-sort:due", "sort:due-"),
        ("sort:-due", "sort:due-"),
        ("sort:imporance", "sort:importance"),
        ("has:coments", "has:comments"),
        ("is:blokced", "is:blocked"),
        ("milestone:'Next release", "milestone:'Next release'"),
        ('title:"no such', 'title:"no such"'),
        ("(tagged:docs OR wet", "(tagged:docs OR wet)"),
        ("a)", "a"),
        ("(a)b", "(a) b"),
        ("'a'b", "'a' b"),
        ("--wet", "-wet"),
        ("wet OR", "wet "),
    ],
)
def test_what_was_meant_is_found(text, meant):
    assert corrected(text, mistake(text)) == meant
    parse(meant)


def test_a_keyword_of_which_nothing_is_known_has_examples():
    error = mistake("wet due:soon")
    assert corrected("wet due:soon", error) is None
    assert "due:today" in examples_of("wet due:soon", error)
    assert examples_of("wet nosuch:soon", mistake("wet nosuch:soon")) == ()


@pytest.mark.parametrize(
    "text", ["a" * 3000, "((((((", "'" * 7, ":", "due:99999-99-99", "due:0-0-0", "created:0000-00-00"]
)
def test_odd_queries_are_no_trouble(text):
    error = mistake(text)
    better = corrected(text, error)
    assert better is None or parse(better)
    assert isinstance(examples_of(text, error), tuple)
