"""The frame of every page: who reads it, where, in which language, zone and light."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cache, cached_property
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo, available_timezones

from falcon.asgi import Request

from skerry.resources.projects import Project
from skerry.tracker import avatars, users
from skerry.tracker.visit import Caller, Visit
from skerry.web import front
from skerry.web.front import Arrival
from skerry.web.site import browser, languages
from skerry.wire.record import Record

THEMES = ("light", "dark")

_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")


@dataclass(frozen=True)
class Reader:
    """What a browser tells of whoever reads: nothing here needs anybody to be signed in.

    ``theme`` is empty where the page follows the system.
    """

    language: str
    zone: tzinfo
    theme: str


@dataclass
class Frame:
    """What every page needs beside its own contents.

    ``sees_others`` says whether names lead somewhere for the reader; visitors may sign in there.
    """

    arrival: Arrival
    reader: Reader
    secret: str
    query: str = ""
    account: str = ""
    picture: str = ""
    caller: Caller | None = None
    project: Project | None = None
    member: bool = False
    sees_others: bool = True
    read_only: bool = False
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    minted: bool = False

    @cached_property
    def csrf(self) -> str:
        """Give the proof for the forms of this page; a browser without a secret gets one with it."""
        if not self.secret:
            self.secret, self.minted = browser.new_secret(), True
        return browser.proof_of(self.secret)

    @property
    def path(self) -> str:
        """Give the address of the page as the browser knows it."""
        path = self.arrival.quoted_path
        return f"{path}?{self.query}" if self.query else path

    @property
    def speaks(self) -> bool:
        """Say whether the reader may open tickets and comment in the project."""
        return bool(self.caller and self.project and not self.project.archived)

    @property
    def works(self) -> bool:
        """Say whether the reader may change things in the project."""
        return self.speaks and self.member

    @property
    def section(self) -> str:
        """Give the part of a project, or of the site, that an address is in."""
        pieces = [piece for piece in self.arrival.path.split("/") if piece]
        if pieces[:1] == ["projects"] and self.project:
            return pieces[2] if len(pieces) > 2 else "overview"  # noqa: PLR2004 - projects, its id, the part
        return pieces[0] if pieces else "dashboard"


def reader_of(request: Request) -> Reader:
    """Give the reader's language, zone and theme, each as its cookie says, if it says anything usable."""
    language = languages.language_of(_cookie(request, "language"), request.get_header("Accept-Language"))
    theme = _cookie(request, "theme")
    return Reader(language, zone_named(_cookie(request, "zone")), theme if theme in THEMES else "")


def _cookie(request: Request, name: str) -> str:
    return unquote((request.get_cookie_values(f"skerry-{name}") or [""])[0])


def zone_named(name: str) -> tzinfo:
    """Give a time zone by its name, UTC if there is none."""
    if _ZONE.fullmatch(name) and name in _zones():
        return ZoneInfo(name)
    return UTC


@cache
def _zones() -> frozenset[str]:
    """Give the names of all time zones, for which hundreds of files are opened."""
    return frozenset(available_timezones())


def frame_of(request: Request, path: str = "") -> Frame:
    """Give the frame for a page, before it is known who asks; ``path`` is its own, if it is another."""
    arrival = front.arrival_of(request)
    if path:
        arrival = arrival._replace(path=path.encode().decode("latin-1"))
    secret = browser.secret_of(request)
    return Frame(arrival, reader_of(request), secret, request.query_string or "")


def fill(frame: Frame, visit: Visit, account: str) -> None:
    """Say in a frame who asks for what in which account."""
    frame.account, frame.caller = account, visit.caller
    frame.project, frame.member = visit.entered, visit.member
    if visit.caller:
        frame.sees_others = users.sees_others(visit)
        frame.picture = avatars.paths(visit, [visit.caller.user_id]).get(visit.caller.user_id, "")


class Entered:
    """What somebody had entered in a form that could not be taken, and why not.

    ``made`` is what was made with a form whose result is shown this once.
    """

    def __init__(
        self,
        tree: Mapping[str, Any] | None = None,
        errors: Sequence[str] = (),
        made: Record | None = None,
        slip: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin with nothing, which is how a form is shown first."""
        self.tree = tree or {}
        self.errors = errors
        self.made = made
        self.seen = str((slip or {}).get("_seen", ""))

    def value(self, name: str, otherwise: Any = "") -> Any:
        """Give what was entered under a name such as ``ticket.title``, or something else without it."""
        found: Any = self.tree
        for part in name.split("."):
            if not isinstance(found, dict) or part not in found:
                return otherwise
            found = found[part]
        return found
