"""The frame of every page: reader, project, language, time zone and theme."""

import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property
from urllib.parse import unquote

from falcon.asgi import Request

from skerry import errors, languages
from skerry.resources.auth import OFF
from skerry.resources.bins import TicketBin
from skerry.resources.projects import Project
from skerry.store.accounts import StoredAccount
from skerry.text.project_words import NamedProject
from skerry.text.time_zones import zone_named
from skerry.tracker import access, bins, projects
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Principal
from skerry.tracker.notifications import inbox
from skerry.tracker.people import avatars, users
from skerry.tracker.texts.ticket_references import Viewer
from skerry.web import middleware
from skerry.web.auth import browser
from skerry.web.middleware import RequestInfo
from skerry.wire.record import Record

THEMES = ("light", "dark")

ROWS = ("compact", "comfortable")
"""How high rows of lists can be, besides the usual height."""

_PROJECT = re.compile(r"/projects/([0-9]{1,18})(?![0-9])")

_ID = re.compile(r"[0-9]{1,18}")

MAX_DISMISSED = 50
"""How many projects a browser remembers whose first steps were dismissed."""

MAX_PROJECTS = 12
"""How many projects the side bar shows, besides the current one; their page shows all."""


@dataclass(frozen=True)
class BrowserPreferences:
    """The preferences that a browser sends; they apply without signing in.

    ``theme`` is empty if the page follows the system; ``has_keys`` says whether single keys are commands;
    ``rows`` is empty if rows have the usual height. ``dismissed`` are the ids of projects whose first steps
    are not shown any more.
    """

    language: str
    zone: tzinfo
    theme: str
    has_keys: bool
    rows: str
    dismissed: frozenset[str]


@dataclass
class Frame:
    """The part of a page that is independent of its content.

    ``sees_others`` says whether the reader may follow names to people's pages, ``viewer`` shows references to
    tickets as they may see them. ``projects`` and ``views`` stand in the side bar. ``position`` is the cursor
    of the last event that the page shows; ``unread`` counts tickets in the reader's inbox, and
    ``is_count_late`` says that there are events whose notifications may still be created. With
    ``single_sign_on``, members of the account sign in with a provider only; ``signs_up`` says that strangers
    can sign up, ``is_outsider`` that the reader's login is one of another account, which writes nowhere here.
    """

    info: RequestInfo
    reader: BrowserPreferences
    secret: str
    query: str
    account: str = ""
    single_sign_on: bool = False
    picture: str = ""
    principal: Principal | None = None
    project: Project | None = None
    member: bool = False
    sees_others: bool = True
    position: str = ""
    viewer: Viewer = field(default_factory=lambda: Viewer(frozenset))
    projects: Sequence[NamedProject] = ()
    views: Sequence[TicketBin] = ()
    unread: int = 0
    is_count_late: bool = False
    signs_up: bool = False
    is_outsider: bool = False
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    minted: bool = False

    @cached_property
    def csrf(self) -> str:
        """Return the CSRF token for the forms of this page, and set a secret in browsers without one."""
        if not self.secret:
            self.secret, self.minted = browser.new_secret(), True
        return browser.proof_of(self.secret)

    @property
    def path(self) -> str:
        """Return the path of the page in the browser."""
        path = self.info.quoted_path
        return f"{path}?{self.query}" if self.query else path

    @property
    def cookies(self) -> str:
        """Return how the names of cookies begin that scripts set."""
        return browser.preference_name(self.info, "")

    @property
    def can_comment(self) -> bool:
        """Return whether the reader may create tickets and comment in the project."""
        is_frozen = self.project is None or self.project.archived or self.info.read_only
        return bool(self.principal) and not (is_frozen or self.is_outsider)

    @property
    def can_edit(self) -> bool:
        """Return whether the reader may make changes in the project."""
        return self.can_comment and self.member

    @property
    def section(self) -> str:
        """Return the section of the project or of the site to which a path belongs."""
        pieces = [piece for piece in self.info.path.split("/") if piece]
        if pieces[:1] == ["projects"] and self.project:
            return pieces[2] if len(pieces) > 2 else "overview"  # noqa: PLR2004 - projects, id, section
        return pieces[0] if pieces else "dashboard"

    @property
    def is_below_section(self) -> bool:
        """Return whether the page is part of a section of the project, but not its first page."""
        return bool(self.project) and self.info.path.strip("/").count("/") > 2  # noqa: PLR2004 - projects, id, section


def reader_of(request: Request) -> BrowserPreferences:
    """Return the reader's language, time zone and theme from valid cookies, or the defaults."""
    language = languages.language_of(_cookie(request, "language"), request.get_header("Accept-Language"))
    theme, rows = _cookie(request, "theme"), _cookie(request, "rows")
    return BrowserPreferences(
        language,
        zone_named(_cookie(request, "zone")),
        theme if theme in THEMES else "",
        _cookie(request, "keys") != "off",
        rows if rows in ROWS else "",
        dismissed=frozenset(dismissed_in(request)),
    )


def dismissed_in(request: Request) -> list[str]:
    """Return the projects whose first steps the reader has dismissed, by a cookie."""
    ids = _cookie(request, "dismissed").split(".")[-MAX_DISMISSED:]
    return [each for each in ids if is_project_id(each)]


def is_project_id(text: object) -> bool:
    """Return whether a text can be the id of a project."""
    return isinstance(text, str) and bool(_ID.fullmatch(text))


def _cookie(request: Request, name: str) -> str:
    return unquote(browser.preference(request, name))


def frame_of(request: Request, path: str = "") -> Frame:
    """Return the frame for a page before authentication; ``path`` overrides the request's."""
    info = middleware.request_info_of(request)
    if path:
        info = info._replace(path=path.encode().decode("latin-1"))
    secret = browser.secret_of(request)
    return Frame(info, reader_of(request), secret, request.query_string or "")


def inside(context: Context, path: str) -> Context:
    """Return the context inside the project of a path if the caller sees it, or else as it is."""
    place = _PROJECT.match(path)
    access.see_as(context)
    with suppress(errors.SkerryError):
        return access.enter(context, int(place[1]), Permission.VIEW, writes=False) if place else context
    return context


def fill(
    frame: Frame,
    context: Context,
    account: StoredAccount,
    views: Sequence[TicketBin] | None = None,
    *,
    counts: bool = True,
) -> None:
    """Fill in a frame with the caller, the project, the account, and its views, with counts or without."""
    frame.account, frame.single_sign_on = account.name, bool(account.single_sign_on)
    frame.signs_up = account.sign_up != OFF and context.transaction.mail is not None
    frame.principal = context.principal
    if context.principal and context.principal.needs_factor:
        # Whoever only has the password sees nothing of the account.
        return
    frame.project, frame.member = context.entered, context.member
    frame.is_outsider = bool(
        context.principal and context.entered and not context.member and not access.is_admitted(context)
    )
    frame.projects = projects.first_names(context, MAX_PROJECTS)
    if views is None:
        bins_here = bins.readable(context)
        views = bins.beside(context, bins_here, exact=False) if counts else bins_here[: bins.MAX_BESIDE]
    frame.views = views
    if context.principal:
        frame.sees_others = users.sees_others(context)
        frame.unread = inbox.count_unread(context)
        frame.picture = avatars.paths(context, [context.principal.user_id]).get(context.principal.user_id, "")


@dataclass(frozen=True)
class Entered:
    """The values entered in a form that was refused, and the errors.

    ``made`` is the result of a form that is shown only once.
    """

    tree: Mapping[str, object] = field(default_factory=dict)
    errors: Sequence[str] = ()
    made: Record | None = None
    hidden_fields: Mapping[str, object] = field(default_factory=dict)

    @property
    def seen(self) -> str:
        """Return what the reader saw of the subject of the form, as the form said."""
        return str(self.hidden_fields.get("_seen", ""))

    def value(self, name: str, otherwise: object = "") -> object:
        """Return the value entered under a name such as ``ticket.title``, or the default."""
        value: object = self.tree
        for part in name.split("."):
            if not isinstance(value, dict) or part not in value:
                return otherwise
            value = value[part]
        return value
