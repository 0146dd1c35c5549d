"""The query language: valid and invalid queries."""

import contextlib

import pytest

from skerry.text.queries.dates import read_span
from skerry.text.queries.query import parse
from skerry.text.queries.query_print import print_query
from skerry.text.queries.query_tokens import MAX_LENGTH
from skerry.text.queries.query_tree import (
    And,
    Comparison,
    Condition,
    Dates,
    Everything,
    Not,
    Number,
    Or,
    Phrase,
    Query,
    QueryError,
    Sort,
    Term,
    Text,
    Word,
)


def state(*names: str) -> Term:
    return Term("state", tuple(Text(name) for name in names))


def tagged(name: str) -> Term:
    return Term("tagged", (Text(name),))


A, B, C = Word("a"), Word("b"), Word("c")


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("state:Open", state("Open")),
        ("STATE:new", state("new")),
        ("state:'on hold'", state("on hold")),
        ('state:" on hold "', state("on hold")),
        ("state:(new, 'on hold' )", state("new", "on hold")),
        ("state:a state:b", state("a", "b")),
        ("state:a x state:b", And((state("a", "b"), Word("x")))),
        ("state:a (state:b)", And((state("a"), state("b")))),
        ("not-state:a not-state:b", And((Not(state("a")), Not(state("b"))))),
        ("-state:a", Not(state("a"))),
        ("-not-state:a", state("a")),
        ("tagged:a tagged:b", And((tagged("a"), tagged("b")))),
        ("assigned:me", Term("responsible", (Text("me"),))),
        ("a b", And((A, B))),
        ("a OR b", Or((A, B))),
        ("a or b", And((A, Word("or"), B))),
        ("a b OR c", Or((And((A, B)), C))),
        ("a (b OR c)", And((A, Or((B, C))))),
        ("-(a b)", Not(And((A, B)))),
        ("-a", Not(A)),
        ("-'a b'", Not(Phrase("a b"))),
        ("pre*", Word("pre", prefix=True)),
        ("keyword:a", A),
        ("keyword:(a,'b c')", Or((A, Phrase("b c")))),
        ("keyword:12", Word("12")),
        ("title:pre*", Term("title", (Word("pre", prefix=True),))),
        ("'don''t'", Phrase("don't")),
        ("don't", Word("don't")),
        ("Foo::Bar http://x", And((Word("Foo::Bar"), Word("http://x")))),
        (":host", Word(":host")),
        ("save(:a)", Word("save(:a)")),
        ("#12", Number(12)),
        ("12", Number(12)),
        ("12 sort:title", Number(12)),
        ("error 500", And((Word("error"), Word("500")))),
        ("all", Everything()),
        ("", Everything()),
        ("install ALL", And((Word("install"), Word("ALL")))),
        ("importance:>=2", Term("importance", (Comparison(">=", 2),))),
        ("importance:none", Term("importance", (Comparison("=", 0),))),
        ("number:(#12,14)", Term("number", (Comparison("=", 12), Comparison("=", 14)))),
        ("has:Attachments", Term("has", (Text("attachment"),))),
        ("created:'Last week'", Term("created", (Dates(read_span("last week")),))),
    ],
)
def test_a_query_means_this(text: str, condition: Condition) -> None:
    query = parse(text)
    assert query.condition == condition
    assert parse(print_query(query)) == query


def test_sorts_stand_beside_the_condition() -> None:
    query = parse("a sort:priority OR sort:(title-,updated) b")
    assert query == Query(Or((A, B)), (Sort("importance"), Sort("title", reverse=True), Sort("updated")))


def test_sorts_alone_choose_everything() -> None:
    assert parse("sort:updated-") == Query(Everything(), (Sort("updated", reverse=True),))
    assert print_query(parse("all sort:updated-")) == "sort:updated-"


def test_positions_count_from_one() -> None:
    query = parse("  tagged:x -title:(a, b)")
    assert isinstance(query.condition, And)
    first, second = query.condition.parts
    assert isinstance(first, Term)
    assert (first.position, first.values[0].position) == (3, 10)
    assert isinstance(second, Not)
    assert isinstance(second.part, Term)
    assert [value.position for value in second.part.values] == [20, 23]


@pytest.mark.parametrize(
    ("text", "position", "sentence"),
    [
        ("stat:open", 1, "Unknown keyword 'stat' at 1; did you mean 'state'?"),
        ("a zebra:1", 3, "Unknown keyword 'zebra' at 3; put quotes around it to search for the text"),
        ("a state:", 3, "The keyword 'state' at 3 has no value right after its colon"),
        ("(state:)", 2, "The keyword 'state' at 2 has no value right after its colon"),
        ("state:''", 7, "There is nothing between the quotes at 7"),
        ("state:()", 8, "A value is missing at 8"),
        ("state:(a,,b)", 10, "A value is missing at 10"),
        ("state:(a b)", 10, "A comma or a closing bracket is missing at 10"),
        ("state:(a", 7, "The bracket opened at 7 is not closed"),
        ("state:(a,", 7, "The bracket opened at 7 is not closed"),
        ("state:(a)b", 10, "A space is missing at 10, after the bracket"),
        ("a 'b", 3, "The quote opened at 3 is not closed"),
        ("'a'b", 4, "A space is missing at 4, after the quote"),
        ("(a)b", 4, "A space is missing at 4, after the bracket"),
        ("a (b", 3, "The bracket opened at 3 is not closed"),
        ("(", 1, "The bracket opened at 1 is not closed"),
        ("a(b c", 2, "The bracket opened at 2 is not closed"),
        ("a)", 2, "The bracket closed at 2 was never opened"),
        (")", 1, "The bracket closed at 1 was never opened"),
        ("( )", 1, "There is nothing between the brackets at 1"),
        ("OR a", 1, "There is nothing before the OR at 1"),
        ("a OR OR b", 6, "There is nothing before the OR at 6"),
        ("a OR", 3, "Nothing follows the OR at 3"),
        ("a OR sort:title", 3, "Nothing follows the OR at 3"),
        ("a -", 3, "Nothing follows the minus at 3"),
        ("--a", 1, "There are two minus signs at 1; put quotes around a word that contains them"),
        ("a *", 3, "There is nothing before the * at 3"),
        ("number:high", 8, "Cannot read 'high' at 8 as a number"),
        ("number:9999999999999999999", 8, "The number at 8 is too large"),
        ("#9999999999999999999", 1, "The number at 1 is too large"),
        ("created:soon", 9, "Cannot read 'soon' at 9 as a date: it is not in a known date format"),
        ("has:wings", 5, "Cannot read 'wings' at 5; has: takes one of attachment, comments, children"),
        ("-sort:title", 1, "The sort at 1 cannot be negated"),
        ("(a sort:title)", 4, "The sort at 4 belongs outside the brackets"),
        ("a\x00", 2, "The character at 2 cannot be used"),
        ("\ud800", 1, "The character at 1 cannot be used"),
        ("x" * (MAX_LENGTH + 1), MAX_LENGTH + 1, "This is longer than 2000 characters"),
        ("(" * 51 + "a" + ")" * 51, 51, "More than 50 levels of brackets at 51"),
    ],
)
def test_an_invalid_query_is_refused_with_its_position(text: str, position: int, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        parse(text)
    assert (refusal.value.position, str(refusal.value)) == (position, sentence)


def test_a_long_unknown_keyword_is_not_repeated_whole() -> None:
    with pytest.raises(QueryError) as refusal:
        parse("k" * 900 + ":x")
    assert len(str(refusal.value)) < 200


def test_brackets_may_be_fifty_deep() -> None:
    assert parse("(" * 50 + "a" + ")" * 50) == Query(A)


class CountedText(str):
    """A text that counts how often it is searched."""

    __slots__ = ("looks",)
    looks: int

    def startswith(self, *arguments: object) -> bool:
        self.looks += 1
        return super().startswith(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece", ["(", "a ", "'", "''", "(a)", "a(", "-a ", "state:(", "state:a ", "a:", ":", "#", "-("]
)
def test_work_grows_in_step_with_the_text(piece: str) -> None:
    looks = []
    for size in (MAX_LENGTH // 2, MAX_LENGTH):
        text = CountedText((piece * size)[:size])
        text.looks = 0
        with contextlib.suppress(QueryError):
            parse(text)
        looks.append(text.looks)
    assert looks[1] <= 2 * looks[0] + 20


def test_the_longest_query_is_understood() -> None:
    text = "(a OR b) " * (MAX_LENGTH // 9)
    assert isinstance(parse(text).condition, And)


def test_the_keyword_of_old_tools_for_a_milestone_is_read():
    assert parse("milestone_id:44") == parse("milestone:id#44")
    assert parse("-milestone_id:(44,45)") == parse("-milestone:(id#44,id#45)")
    assert parse("milestone_id:0").condition == parse("milestone:none").condition
    with pytest.raises(QueryError, match="Cannot read 'soon' at 14 as a number"):
        parse("milestone_id:soon")
