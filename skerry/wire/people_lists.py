"""Lists of people and their logins, as spreadsheets save them."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from typing import NamedTuple

from skerry.errors import Invalid

_SEPARATORS = ",;\t|"
# Spreadsheets understand such a first line.
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
# Spreadsheets save whole numbers as 7.0 or 7,0, too.
_ID = re.compile("0*([1-9][0-9]{0,17})(?:[.,]0+)?")
_IN_BRACKETS = re.compile(r"([^<>]*)<\s*(?:mailto:)?([^<>\s]+@[^<>\s]+)\s*>")
_PLAIN = re.compile(r"[\W_]+")

_HEADERS = {
    "id": ("id", "key", "userid", "personid", "number", "nr", "no", "benutzerid", "schlüssel"),
    "email": ("email", "mail", "emailaddress", "mailaddress", "emailadresse", "address", "login", "username"),
    "name": ("name", "fullname", "displayname", "realname", "user", "person", "benutzer"),
}
_COLUMNS = tuple(_HEADERS)


class _Cell(NamedTuple):
    """A cell and its place."""

    text: str
    place: str


def read_people(content: bytes, *, by_key: bool = False) -> dict[str, tuple[str, str]]:
    """Return e-mail address and name, possibly empty, by id, from lines such as ``12,ada@example.org,Ada``.

    With ``by_key``, the first cell is what another tracker calls the person, such as a login. Commas,
    semicolons, tabs or vertical bars separate the cells. A header gives their order, or else the first row
    shows where the address is. Raises Invalid, naming the line and
    the column, for anything else, and for a repeated id.
    """
    people: dict[str, tuple[str, str]] = {}
    try:
        for row in _rows(text_of(content), by_key=by_key):
            user_id = _key(row["id"]) if by_key else _id(row["id"])
            if user_id in people:
                raise Invalid(f"{row['id'].place} names {user_id} again")
            address, name = _email(row["email"])
            people[user_id] = address, row["name"].text or name
    except csv.Error as error:
        raise Invalid(f"The list of people cannot be read: {error}") from error
    return people


def text_of(content: bytes) -> str:
    """Return the text of a table as spreadsheets save it."""
    if content.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # As spreadsheets on Windows save them.
        return content.decode("cp1252", "replace")


def _rows(text: str, *, by_key: bool) -> Iterator[dict[str, _Cell]]:
    """Yield the cells of each person by the names of their columns."""
    said = _SEPARATOR_LINE.match(text)
    lines = [*io.StringIO(text, newline="")]
    first = next((line for line in lines[bool(said) :] if line.strip()), "")
    separator = said[1] if said else max(_SEPARATORS, key=first.count)
    reader = csv.reader(lines[bool(said) :], delimiter=separator)
    columns: tuple[str, ...] | None = None
    for row in reader:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        line = f"Line {reader.line_num + bool(said)} of the list of people"
        if columns is None:
            columns = _columns(cells)
            if columns:
                continue
            columns = _guessed(cells, by_key=by_key)
        yield {
            name: _Cell(cells[place] if place < len(cells) else "", f"{line}, column {place + 1},")
            for place, name in ((_place(columns, name), name) for name in _COLUMNS)
        }


def _guessed(cells: list[str], *, by_key: bool) -> tuple[str, ...]:
    """Return the columns of a list without a header, from its first row: only the address has an ``@``."""
    first = cells[: len(_COLUMNS)]
    addresses = [place for place, cell in enumerate(first) if "@" in cell]
    others = [place for place, cell in enumerate(first) if "@" not in cell]
    if len(addresses) != 1 or not others:
        return _COLUMNS
    numbers = [] if by_key else [place for place in others if _ID.fullmatch(first[place])]
    key = numbers[0] if len(numbers) == 1 else others[0]
    columns = ["name"] * len(first)
    columns[key], columns[addresses[0]] = "id", "email"
    return tuple(columns)


def _place(columns: tuple[str, ...], name: str) -> int:
    return columns.index(name) if name in columns else len(columns)


def _columns(cells: list[str]) -> tuple[str, ...]:
    """Return the columns that a header names, empty for the others; nothing if the row is no header."""
    names = [_PLAIN.sub("", cell.lower()) for cell in cells]
    columns = tuple(next((each for each in _COLUMNS if name in _HEADERS[each]), "") for name in names)
    return columns if "id" in columns and "email" in columns else ()


def _key(cell: _Cell) -> str:
    if not cell.text:
        raise Invalid(f"{cell.place} must be what the other tracker calls the person")
    return cell.text


def _id(cell: _Cell) -> str:
    match = _ID.fullmatch(cell.text)
    if not match:
        raise Invalid(
            f"{cell.place} must be an id, followed by an e-mail address and perhaps a name, "
            "separated by commas, semicolons, tabs or vertical bars"
        )
    return match[1]


def _email(cell: _Cell) -> tuple[str, str]:
    """Return an address, and the name that mail programs write before it."""
    if "@" not in cell.text:
        raise Invalid(f"{cell.place} must be an e-mail address")
    named = _IN_BRACKETS.fullmatch(cell.text)
    return (named[2], named[1].strip(' "')) if named else (cell.text, "")
