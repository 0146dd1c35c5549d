"""What the columns of a table mean: guessed from their headings, or said by a mapping.

A mapping has lines such as ``Reported by = author``; ``= ignore`` leaves a column out. Lines with a colon
say how the table is written: ``dates: day first``, ``separator: ;``, ``charset: cp1252``, ``closed: done,
dropped``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from skerry.errors import Invalid

IGNORED = "ignore"

_WORDS: Mapping[str, str] = {
    "number": "# number id nr no key issue ticket nummer schlüssel vorgangsschlüssel",
    "title": """title summary subject name headline shortdesc titel betreff zusammenfassung thema story task
        aufgabe""",
    "text": "text description body details content notes beschreibung inhalt",
    "state": "state status resolution sectioncolumn listname zustand",
    "author": """author reporter reportedby creator createdby openedby submitter requester requestedby autor
        ersteller gemeldetvon erstelltvon melder""",
    "author email": "authoremail reporteremail creatoremail submitteremail",
    "assignee": """assignee assignees assign assignedto assigneduser responsible assigned ownedby owner
        owners members zugewiesen zugewiesenan zugewieseneperson bearbeiter verantwortlich zuständig""",
    "assignee email": "assigneeemail",
    "tags": """tags tag labels label keywords category categories component components type workitemtype
        subsystem kategorie schlagworte stichworte tracker typ vorgangstyp komponenten""",
    "milestone": """milestone targetmilestone version fixversion fixversions targetversion sprint iteration
        iterationpath projectmilestone release meilenstein zielversion""",
    "importance": "importance priority prio severity priorität wichtigkeit",
    "created": "created creation opened open opendate reported submitted angelegt erstellt eröffnet",
    "updated": """updated update modified changed change lastupdate lastupdated lastmodified lastactivity
        aktualisiert geändert""",
    "closed": "closed resolved completed accepted geschlossen erledigt",
    "due": "due deadline target abgabe fällig fälligkeit fälligkeits frist termin",
    "private": """private isprivate confidential securitylevel viewstatus viewstate visibility
        sicherheitsstufe privat vertraulich""",
    "comment": "comment comments note lastnotes kommentar kommentare anmerkung",
}

FIELDS = (*_WORDS, IGNORED)
"""The fields that a column can be."""

SEVERAL = frozenset({"tags", "comment", "text", IGNORED})
"""The fields that more than one column can be."""

DATES = frozenset({"created", "updated", "closed", "due"})
"""The fields whose cells are days or times."""

ORDERS: Mapping[str, str] = {"day first": "dmy", "month first": "mdy"}

SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}

_GUESSES = {word: name for name, words in _WORDS.items() for word in words.split()}
_NO = frozenset(
    (
        *("", "0", "-", "--", "no", "n", "false", "f", "none", "off", "public", "nein", "falsch", "keine"),
        *("öffentlich", "non", "faux", "nej", "nee", "não", "nie", "nei", "нет", "ні"),
    )
)
_PLAIN = re.compile(r"[^\w#%]|_")
# "Issue status" is a status, and "Created at (UTC)", "Date created" and "Angelegt am" are the same word.
_BEFORE = re.compile(r"^(?:date|current|issue|ticket|task|card|story|bug)")
_AFTER = re.compile(r"(?:at|on|date|datum|time|am|name|title)?(?:utc)?$")
_MAX_LINES = 2_000


@dataclass(frozen=True)
class Mapped:
    """What somebody said about a table; empty values are guessed."""

    columns: Mapping[str, str] = field(default_factory=dict)
    dates: str = ""
    separator: str = ""
    charset: str = ""
    closed: frozenset[str] = frozenset()


def read_mapping(content: bytes) -> Mapped:
    """Return a mapping from its lines; raises Invalid, naming the line."""
    columns: dict[str, str] = {}
    said: dict[str, str] = {}
    lines = content.decode("utf-8-sig", "replace").splitlines()
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        text = line.strip()
        heading, sign, name = (spaced(part) for part in text.rpartition("="))
        # A heading may begin like a comment.
        if not text or (text.startswith("#") and name not in FIELDS):
            continue
        place = f"Line {number} of the mapping"
        if sign:
            if name not in FIELDS:
                raise Invalid(f"{place}: {name} is no field; choose from {', '.join(FIELDS)}")
            columns[heading] = name
        else:
            setting, colon, value = text.partition(":")
            if not colon or setting.strip() not in {"dates", "separator", "charset", "closed"}:
                raise Invalid(f"{place}: write 'column = field', or 'dates: day first'")
            said[setting.strip()] = value.strip()
    return _checked(columns, said)


def _checked(columns: Mapping[str, str], said: Mapping[str, str]) -> Mapped:
    dates, charset, separator = said.get("dates", ""), said.get("charset", ""), said.get("separator", "")
    if dates and dates not in ORDERS:
        raise Invalid(f"The mapping says 'dates: {dates}'; write {' or '.join(ORDERS)}")
    separator = SEPARATORS.get(separator, separator)
    if len(separator) > 1:
        raise Invalid(f"The mapping says 'separator: {separator}'; write {', '.join(SEPARATORS)} or one sign")
    try:
        b"a".decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):
        raise Invalid(f"The mapping says 'charset: {charset}', which is not known") from None
    closed = frozenset(word.strip().casefold() for word in said.get("closed", "").split(",") if word.strip())
    return Mapped(columns, ORDERS.get(dates, ""), separator, charset, closed)


def guessed(header: Sequence[str], mapped: Mapped) -> list[str]:
    """Return the field of each column, empty for unknown ones.

    Raises Invalid if the mapping names a column that is not there, or a field twice.
    """
    missing = sorted(name for name in mapped.columns.keys() - set(header) if not name.startswith("#"))
    if missing:
        raise Invalid(f"The table has no column {missing[0]}, which the mapping names")
    fields = [mapped.columns.get(heading, "") for heading in header]
    for place, heading in enumerate(header):
        # Of columns with one heading, the first is meant.
        if fields[place] and fields[place] not in SEVERAL and header.index(heading) < place:
            fields[place] = IGNORED
    _check_once(header, fields)
    taken = set(fields) - SEVERAL
    for place, heading in enumerate(header):
        guess = _guess(heading)
        if not fields[place] and guess not in taken:
            fields[place] = guess
            taken |= {guess} - SEVERAL
    return fields


def spaced(heading: str) -> str:
    """Return a heading in one line, with single blanks between its words."""
    return " ".join(heading.split())


def _guess(heading: str) -> str:
    plain = _PLAIN.sub("", heading.lower())
    short = _AFTER.sub("", plain)
    words = (plain, short, _BEFORE.sub("", plain), _BEFORE.sub("", short))
    return next((_GUESSES[word] for word in words if word in _GUESSES), "")


def is_yes(text: str) -> bool:
    """Return whether a cell says yes: all that is no clear no, so that nothing private becomes public."""
    return text.strip().casefold() not in _NO


def _check_once(header: Sequence[str], fields: Iterable[str]) -> None:
    first: dict[str, str] = {}
    for heading, name in zip(header, fields, strict=True):
        if name and name not in SEVERAL and name in first:
            raise Invalid(f"The mapping says that {first[name]} and {heading} are both {name}")
        first[name] = heading
