"""Days and times as people and spreadsheets write them, with the day or the month first.

``03/04/2026`` is the third of April or the fourth of March. Only a day beyond the twelfth decides, so all
dates of a table are looked at before one is read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from skerry.database.transactions import SECOND, microseconds
from skerry.errors import Invalid
from skerry.transfer.sources import moments

_MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "jan januar january",
            "feb februar february",
            "mar mär mrz märz march",
            "apr april",
            "may mai",
            "jun juni june",
            "jul juli july",
            "aug august",
            "sep sept september",
            "oct okt oktober october",
            "nov november",
            "dec dez dezember december",
        ),
        1,
    )
    for name in names.split()
}
_CLOCK = r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
_TIME = rf"(?:[ T,]+{_CLOCK}[ ]*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
_NUMBERS = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<sign>[./-])\s?(?P<second_>\d{{1,2}})(?P=sign)\s?(?P<year>\d{{4}}|\d\d),?{_TIME}"
)
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})[./-](?P<month>\d{{1,2}})[./-](?P<day>\d{{1,2}}){_TIME}")
_NAMED = (
    re.compile(rf"(?P<day>\d{{1,2}})[. /-]+(?P<name>[^\W\d_]+)[. /,-]+(?P<year>\d{{4}}|\d\d){_TIME}"),
    re.compile(rf"(?P<name>[^\W\d_]+)\.?[ ]+(?P<day>\d{{1,2}}),?[ ]+(?P<year>\d{{4}}){_TIME}"),
)
_MONTHS_IN_YEAR = 12
_CENTURY = 100
_MAX_LENGTH = 80


@dataclass
class Order:
    """The order of days and months in a table, and the first date that leaves it open."""

    known: str = ""
    proof: str = ""
    doubt: str = ""

    def note(self, text: str, place: str) -> None:
        """Look at a date; raises Invalid if it contradicts an earlier one."""
        match = _NUMBERS.fullmatch(text.strip()[:_MAX_LENGTH])
        if not match:
            return
        first, second = int(match["first"]), int(match["second_"])
        found = "mdy" if second > _MONTHS_IN_YEAR else ""
        if first > _MONTHS_IN_YEAR or match["sign"] == ".":
            found = "dmy"
        if not found:
            self.doubt = self.doubt or (f"{place}: {text.strip()}" if first != second else "")
        elif not self.known:
            self.known, self.proof = found, f"{place}: {text.strip()}"
        elif self.known != found and self.proof and match["sign"] != ".":
            raise Invalid(f"{place}: {text.strip()} has another order of day and month than {self.proof}")

    def settled(self) -> str:
        """Return ``dmy`` or ``mdy``; raises Invalid if nothing decides."""
        if self.doubt and not self.known:
            raise Invalid(
                f"{self.doubt} can be read two ways; write 'dates: day first' or 'dates: month first' into a "
                "file for --columns"
            )
        return self.known or "dmy"


def instant(text: str, order: str) -> int | None:
    """Return a moment in microseconds since 1970, or None if it cannot be read; without a zone, in UTC."""
    said = text.strip()
    if len(said) > _MAX_LENGTH:
        return None
    for pattern in (_NUMBERS, _YEAR_FIRST, *_NAMED):
        if match := pattern.fullmatch(said):
            return _moment(match, order)
    return moments.instant(said)


def day(text: str, order: str) -> str | None:
    """Return a day such as ``2026-05-01``, or None if it cannot be read."""
    at = instant(text, order)
    return None if at is None else datetime.fromtimestamp(at // SECOND, UTC).date().isoformat()


def _moment(match: re.Match[str], order: str) -> int | None:
    parts = match.groupdict()
    if "first" in parts:
        day, month = parts["first"], parts["second_"]
        if order == "mdy" and parts["sign"] != ".":
            day, month = month, day
    else:
        day, month = parts["day"], parts.get("month") or str(_MONTHS.get(parts["name"].lower(), 0))
    year = int(parts["year"])
    hour = int(parts["hour"] or 0)
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"][0] in "pP" else 0)
    if year < _CENTURY:
        year += 2000 if year < 70 else 1900  # noqa: PLR2004 - as POSIX reads them
    try:
        moment = datetime(
            year, int(month), int(day), hour, int(parts["minute"] or 0), int(parts["second"] or 0), tzinfo=UTC
        )
        return microseconds(moment)
    except ValueError:
        return None
