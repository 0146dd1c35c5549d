"""States and levels as rows of a form, and as the texts of a project's settings."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

MAX_ROWS = 30
"""How many rows a form has; longer lists are edited as texts."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_ROW = re.compile(r"(?:(?P<number>\d+)[ \t]+)?(?P<name>[^/]*)/[ \t]*(?P<color>[0-9a-fA-F]{3,6})")


@dataclass(frozen=True)
class Row:
    """A state or a level: what its line says. A line that is a comment alone has no name."""

    name: str = ""
    color: str = ""
    comment: str = ""
    number: str = ""
    closed: bool = False

    @property
    def line(self) -> str:
        """Return the line of the row; empty if it says nothing."""
        number = f"{self.number} " if self.number else ""
        said = f"{number}{self.name}/{self.color}" if self.name else ""
        comment = f"# {self.comment}" if self.comment else ""
        return "  ".join(filter(None, (said, comment)))


def read_rows(text: str, *, closed: bool = False) -> list[Row] | None:
    """Return the lines of a text as rows; None if one is neither row nor comment, or there are too many."""
    lines = [line for line in _LINE_END.split(text) if line.strip()]
    if len(lines) > MAX_ROWS:
        return None
    rows = [_row(line, closed=closed) for line in lines]
    return None if None in rows else [row for row in rows if row]


def _row(line: str, *, closed: bool) -> Row | None:
    said, _, comment = (part.strip() for part in line.partition("#"))
    row = _ROW.fullmatch(said)
    if not said or not row:
        return None if said else Row(comment=comment, closed=closed)
    return Row(row["name"].strip(), row["color"], comment, row["number"] or "", closed=closed)


def write_rows(rows: Sequence[Row]) -> str:
    """Return the text of rows."""
    return "\n".join(row.line for row in rows if row.line)


def sent_rows(fields: object) -> Iterator[Row]:
    """Yield the rows that a form sent, by their positions; anything else is left out."""
    numbered = fields.items() if isinstance(fields, Mapping) else ()
    sent = [(int(place), row) for place, row in numbered if re.fullmatch(r"\d{1,3}", place)]
    for _, row in sorted(sent, key=lambda pair: pair[0]):
        if isinstance(row, Mapping):
            yield _sent(row)


def _sent(row: Mapping[str, object]) -> Row:
    names = ("name", "color", "hex", "comment", "number")
    said = {name: " ".join(str(row.get(name) or "").split()) for name in names}
    # A colour that is not offered is sent as hex digits, whatever is chosen beside it.
    color = said["hex"].removeprefix("#") or said["color"]
    return Row(said["name"], color, said["comment"], said["number"], closed=row.get("closed") == "true")


def moved(rows: Sequence[Row], move: str) -> list[Row]:
    """Return rows with one moved before or after its neighbour, as in ``2 up``, or else as they are."""
    step = re.fullmatch(r"(\d{1,3}) (up|down)", move)
    at = int(step[1]) if step else 0
    to = at + (1 if step and step[2] == "down" else -1)
    if not step or not (0 <= at < len(rows) and 0 <= to < len(rows)):
        return list(rows)
    result = list(rows)
    result[at], result[to] = result[to], result[at]
    return result
