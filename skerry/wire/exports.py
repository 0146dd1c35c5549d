"""The names of the files in an export, laid out as that of the service whose interface this is."""

import hashlib
import re

ABOUT = "export.json"
TICKET = "ticket.json"

LONGEST_SLUG = 20

_UNPLAIN = re.compile(r"[^-a-z0-9_]+")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,100}")


def slug(text: str) -> str:
    """Give the readable part of a name, perhaps empty."""
    return _UNPLAIN.sub("-", text.lower())[:LONGEST_SLUG].strip("-")


def numbered(number: int | None, text: str) -> str:
    """Give the name of something by its number and what it is called: ``12-it-leaks``."""
    return f"{number}-{slug(text)}".removesuffix("-")


def of_revision(revision: str) -> str:
    """Give the name of a changeset: its revision, or a digest of one that no file can be called by."""
    return revision if _PLAIN.fullmatch(revision) else hashlib.sha256(revision.encode()).hexdigest()


def of_file(filename: str, attachment_id: int | None, taken: set[str]) -> str:
    """Give the name of an attached file beside its ticket: its own, or one that is not taken."""
    name = f"{attachment_id}-{filename}" if filename in taken or filename == TICKET else filename
    taken.add(name)
    return name
