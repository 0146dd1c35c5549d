from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.moments import read_moment, write_moment

MORNING = datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2007-01-15T08:13:09Z",
        "2007-01-15t08:13:09z",
        "2007-01-15T08:13:09",
        " 2007-01-15 08:13:09 UTC ",
        "2007-01-15T10:13:09+02:00",
        "2007-01-15T10:13:09+0200",
        "2007-01-15T10:13:09+02",
        "2007-01-15 03:13:09 -0500",
        "20070115T081309Z",
        "2007-01-15T08:13:09.000000000Z",
    ],
)
def test_every_spelling_of_a_moment_is_the_same_moment(text: str) -> None:
    moment = read_moment(text)
    assert moment == MORNING
    assert moment.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2007-01-15", datetime(2007, 1, 15, tzinfo=UTC)),
        ("20070115", datetime(2007, 1, 15, tzinfo=UTC)),
        ("2007-01-15T08:13", datetime(2007, 1, 15, 8, 13, tzinfo=UTC)),
        ("2007-01-15T08:13:09.25Z", MORNING.replace(microsecond=250_000)),
        ("2007-01-15T08:13:09,1234567Z", MORNING.replace(microsecond=123_456)),
        ("2007-01-01T00:30+05:30", datetime(2006, 12, 31, 19, tzinfo=UTC)),
    ],
)
def test_parts_that_are_missing_are_zero_and_fractions_stay(text: str, moment: datetime) -> None:
    assert read_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2007-02-30",
        "2007-13-01",
        "2007-0115",
        "0000-01-01",
        "2007-01-15T24:00",
        "2007-01-15T08",
        "2007-01-15T08:13:09+24:00",
        "2007-01-15T08:13:09+99:99",
        "2007-01-15x08:13",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "２００７-01-15",
        "2007-01-15\x00",
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^This is not a date such as 2007-01-15 or 2007-01-15T08:13:09Z$"):
        read_moment(text)


def test_a_moment_is_written_in_utc_and_whole_seconds() -> None:
    assert write_moment(MORNING.replace(microsecond=999_999)) == "2007-01-15T08:13:09Z"
    assert write_moment(MORNING.replace(tzinfo=None)) == "2007-01-15T08:13:09Z"
    assert write_moment(MORNING.astimezone(timezone(timedelta(hours=-5)))) == "2007-01-15T08:13:09Z"
    assert write_moment(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00Z"


@given(st.datetimes(timezones=st.just(UTC)))
@settings(deadline=None)
def test_what_is_written_reads_back(moment: datetime) -> None:
    assert read_moment(write_moment(moment)) == moment.replace(microsecond=0)


@given(st.datetimes(), st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)))
@settings(deadline=None)
def test_an_offset_counts_or_is_refused_at_the_ends_of_time(local: datetime, offset: timedelta) -> None:
    aware = local.replace(tzinfo=timezone(timedelta(minutes=offset // timedelta(minutes=1))))
    with suppress(ValueError):
        assert read_moment(aware.isoformat()) == aware


@given(st.text() | st.from_regex(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}T[0-9:.+-]{0,20}", fullmatch=True))
@settings(deadline=None)
def test_no_text_raises_anything_but_a_value_error(text: str) -> None:
    with suppress(ValueError):
        assert read_moment(text).tzinfo is UTC
