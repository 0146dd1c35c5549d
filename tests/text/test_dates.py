"""Dates of the query language, resolved at a fixed time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.queries.dates import read_span, resolve

# A Tuesday, the last day of its month.
NOW = datetime(2009, 3, 31, 15, 30, 20, tzinfo=UTC)


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", day(2009, 3, 31), day(2009, 4, 1)),
        ("Yesterday", day(2009, 3, 30), day(2009, 3, 31)),
        ("this week", day(2009, 3, 30), day(2009, 4, 6)),
        ("last  Week", day(2009, 3, 23), day(2009, 3, 30)),
        ("this month", day(2009, 3, 1), day(2009, 4, 1)),
        ("last month", day(2009, 2, 1), day(2009, 3, 1)),
        ("this year", day(2009, 1, 1), day(2010, 1, 1)),
        ("last year", day(2008, 1, 1), day(2009, 1, 1)),
        ("2009-03-31", day(2009, 3, 31), day(2009, 4, 1)),
        ("3/31/2009", day(2009, 3, 31), day(2009, 4, 1)),
        ("2009-03-01..2009-03-31", day(2009, 3, 1), day(2009, 4, 1)),
        ("2009-03-01..", day(2009, 3, 1), None),
        ("..2009-03-31", None, day(2009, 4, 1)),
        ("2009-03-01 .. today", day(2009, 3, 1), day(2009, 4, 1)),
        ("<2009-03-01", None, day(2009, 3, 1)),
        ("<=2009-03-01", None, day(2009, 3, 2)),
        (">2009-03-01", day(2009, 3, 2), None),
        (">=2009-03-01", day(2009, 3, 1), None),
        ("> yesterday", day(2009, 3, 31), None),
        ("since 7 days ago", NOW - timedelta(days=7), None),
        ("1 week ago", NOW - timedelta(days=7), None),
        ("since 90 minutes ago", NOW - timedelta(minutes=90), None),
        ("1 hour ago", NOW - timedelta(hours=1), None),
        ("before 2 months ago", None, datetime(2009, 1, 31, 15, 30, 20, tzinfo=UTC)),
        ("since 1 month ago", datetime(2009, 2, 28, 15, 30, 20, tzinfo=UTC), None),
        ("1 year ago", datetime(2008, 3, 31, 15, 30, 20, tzinfo=UTC), None),
        ("since 2009-03-01", day(2009, 3, 1), None),
        ("before yesterday", None, day(2009, 3, 30)),
        ("since 999999 years ago", day(1, 1, 1), None),
        ("since 999999 weeks ago", day(1, 1, 1), None),
        ("9999-12-31", day(9999, 12, 31), None),
        ("..9999-12-31", None, None),
        ("<=9999-12-31", None, None),
        ("<9999-12-31", None, day(9999, 12, 31)),
    ],
)
def test_a_date_means_a_half_open_interval(text: str, start: datetime | None, end: datetime | None) -> None:
    assert resolve(read_span(text), NOW) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "soon",
            "2009-3-1",
            "2009-13-01",
            "2009-02-30",
            ">9999-12-31",
            "0000-01-01",
            "20090301",
            "2009-W10",
        ),
        *(
            "..",
            "a..b",
            "2009-03-02..2009-03-01",
            "<",
            "<<2009-03-01",
            "<1 week ago",
            "since",
            "before",
            "ago",
        ),
        *(
            "week ago",
            "1 fortnight ago",
            "-1 days ago",
            "1234567 days ago",
            "2 weeks",
            "since since today",
            "today today",
        ),
    ],
)
def test_an_invalid_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"date|day|range|ago"):
        read_span(text)


def test_months_of_december_and_january_cross_the_year() -> None:
    new_year = datetime(2010, 1, 2, tzinfo=UTC)
    assert resolve(read_span("last month"), new_year) == (day(2009, 12, 1), day(2010, 1, 1))
    assert resolve(read_span("this month"), day(2009, 12, 9)) == (day(2009, 12, 1), day(2010, 1, 1))


def test_the_clock_may_be_in_any_zone() -> None:
    elsewhere = datetime(2009, 4, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    assert resolve(read_span("today"), elsewhere) == (day(2009, 3, 31), day(2009, 4, 1))


moments = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
spans = st.sampled_from(
    ["today", "yesterday", "this week", "last week", "this month", "last month", "this year"]
)


@settings(deadline=None)
@given(spans, moments)
def test_before_and_since_a_span_meet_without_a_gap(text: str, now: datetime) -> None:
    start, end = resolve(read_span(text), now)
    assert start is not None
    assert end is not None
    assert start < end
    assert resolve(read_span(f"<{text}"), now) == (None, start)
    assert resolve(read_span(f"since {text}"), now) == (start, None)
    assert resolve(read_span(f">{text}"), now) == (end, None)


@settings(deadline=None)
@given(st.text(alphabet="0123456789-.<>= adeghikmnorstuwy"), moments)
def test_any_text_is_a_date_or_refused(text: str, now: datetime) -> None:
    try:
        span = read_span(text)
    except ValueError:
        return
    assert read_span(span.text) == span
    resolve(span, now)
