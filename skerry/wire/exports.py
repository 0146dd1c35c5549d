"""The names of the files in an export, in the layout of the original service."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

ABOUT = "export.json"
TICKET = "ticket.json"
LISTS = "lists.json"

MAX_SLUG_LENGTH = 20

_UNPLAIN = re.compile(r"[^-a-z0-9_]+")
# macOS adds files whose names begin with ._.
_PLAIN = re.compile(r"(?!\._)[A-Za-z0-9_.-]{1,100}")


def slug(text: str) -> str:
    """Return the readable part of a name, possibly empty."""
    return _UNPLAIN.sub("-", text.lower())[:MAX_SLUG_LENGTH].strip("-")


def distinct_slug(text: str) -> str:
    """Return the readable part of a name, followed by a digest if something is missing."""
    plain = slug(text)
    return plain if plain == text else f"{plain}-{_digest(text)[:8]}".removeprefix("-")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def numbered(number: int | None, text: str) -> str:
    """Return a name from a number and a title: ``12-it-leaks``."""
    return f"{number}-{slug(text)}".removesuffix("-")


def of_revision(revision: str) -> str:
    """Return the name of a changeset: its revision, or a digest if that cannot be a file name everywhere."""
    return revision if _PLAIN.fullmatch(revision) and revision == revision.lower() else _digest(revision)


def of_file(filename: str, attachment_id: int | None, taken: set[str]) -> str:
    """Return a free name for an attached file beside its ticket, also where case makes no difference."""
    name = filename
    while (same := _alike(name)) in taken or same == TICKET:
        name = f"{attachment_id}-{name}"
    taken.add(same)
    return name


def _alike(name: str) -> str:
    """Return a name in a form that is equal for names that macOS or Windows take for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


@dataclass(frozen=True)
class ArchivePath:
    """The meaning of a file's name in an export: the person or project, and the kind of content.

    ``kind`` is ``users``, ``views``, ``project``, ``tickets``, ``milestones``, ``bins``, ``messages`` or
    ``changesets``; ``file`` is the last part of the name.
    """

    root: str
    kind: str
    file: str
    project_id: int = 0
    id: int = 0


_OF_USER = re.compile(r"users/(?P<id>[1-9][0-9]{0,17})(?:-[^/]*)?/(?P<file>[^/]+)")
_OF_VIEW = re.compile(r"views/(?P<file>[^/]+\.json)")
_OF_PROJECT = re.compile(
    r"projects/(?P<project_id>[0-9]{1,18})(?:-[^/]*)?/(?:"
    r"tickets/(?P<id>[0-9]{1,18})(?:-[^/]*)?/(?P<file>[^/]+)"
    r"|(?P<kind>milestones|bins|messages|changesets)/(?P<item>[^/]+\.json)"
    r"|(?P<alone>project|memberships|templates)\.json)"
)


_OUTER = re.compile(
    r"(?:(?:.*/)?(?P<root>[^/]+)/)?(?P<rest>(?:users|projects)/[0-9][^/]*/.*|views/[0-9][^/]*)", re.DOTALL
)
_CLUTTER = frozenset((".ds_store", "thumbs.db", "desktop.ini"))


def is_clutter(name: str) -> bool:
    """Return whether a file was added by macOS or Windows."""
    parts = name.lower().split("/")
    return "__macosx" in parts or parts[-1] in _CLUTTER


def parse_path(name: str) -> ArchivePath | None:
    """Return the meaning of a file's name in an archive, in any number of folders, or None if it is unknown.

    Raises ValueError for a path outside the archive.
    """
    # macOS decomposes the names of files.
    parts = unicodedata.normalize("NFC", name).removeprefix("./").split("/")
    if not all(parts) or {".", ".."} & {*parts} or "\0" in name:
        raise ValueError("its name leads elsewhere")
    outer = _OUTER.fullmatch("/".join(parts))
    root, rest = (outer["root"] or "archive", outer["rest"]) if outer else ("", "")
    if match := _OF_USER.fullmatch(rest):
        return ArchivePath(root, "users", match["file"], id=int(match["id"]))
    if match := _OF_PROJECT.fullmatch(rest):
        project_id = int(match["project_id"])
        if match["id"]:
            return ArchivePath(root, "tickets", match["file"], project_id, int(match["id"]))
        if match["kind"]:
            if match["item"].startswith("._"):
                # Files that macOS adds.
                return None
            return ArchivePath(root, match["kind"], match["item"], project_id)
        return ArchivePath(root, "project", f"{match['alone']}.json", project_id)
    view = _OF_VIEW.fullmatch(rest)
    return ArchivePath(root, "views", view["file"]) if view else None
