"""The input of a use case: ``Context`` has the caller and the transaction, ``Params`` the request.

Each use case is a function of these two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network
from typing import Generic, NamedTuple, TypeVar

from skerry.database.transactions import Transaction
from skerry.errors import NotFound, Unauthenticated
from skerry.resources.projects import Project
from skerry.tracker.token_scopes import TICKETS_READ, TICKETS_WRITE
from skerry.wire.drafts import Draft
from skerry.wire.record import Record

R = TypeVar("R", bound=Record)

Networks = tuple[IPv4Network | IPv6Network, ...]


class Principal(NamedTuple):
    """The authenticated caller, and the credentials used.

    ``role`` is the caller's role in the account, None for an outsider. ``token_project`` is the
    only project that the token is valid for, 0 for all, and ``scopes`` what it is limited to, if it is;
    ``token_id`` is 0 without a token. ``session_id`` and ``signed_in_at``, in microseconds, are 0 without a
    session in a browser. ``factor_from`` is the day from which the account demands a second factor that the
    caller does not have, if there is one; ``needs_factor`` says that it has come.
    """

    user_id: int
    name: str
    role: str | None
    read_only: bool = False
    token_project: int = 0
    token_id: int = 0
    session_id: int = 0
    scopes: frozenset[str] = frozenset()
    signed_in_at: int = 0
    factor_from: str = ""
    needs_factor: bool = False

    @property
    def administrator(self) -> bool:
        """Return whether the caller may see and do everything in the account."""
        return self.role in ("owner", "administrator")

    @property
    def administers(self) -> bool:
        """Return whether the caller administers the account, with credentials that suffice for it."""
        return self.administrator and not self.token_project and not self.scopes

    @property
    def reads_tickets(self) -> bool:
        """Return whether the caller's credentials suffice for tickets."""
        return not self.scopes or bool(self.scopes & {TICKETS_READ, TICKETS_WRITE})


class RequestedPage(NamedTuple):
    """The requested page of a list."""

    number: int = 1
    limit: int = 30

    @property
    def offset(self) -> int:
        """The number of items before this page."""
        return (self.number - 1) * self.limit

    def last(self, total: int) -> int:
        """Return the number of the last page for a total of items, 1 if there are none."""
        return max(1, -(-total // self.limit))


FIRST_PAGE = RequestedPage()


class KnownReferences(NamedTuple):
    """The changesets, people and other projects that exist among those that a text names.

    Changesets by revision, people by key and id, projects by word and id.
    """

    changesets: frozenset[str] = frozenset()
    people: frozenset[tuple[str, int]] = frozenset()
    projects: frozenset[tuple[str, int]] = frozenset()


Rendered = dict[tuple[int, str, KnownReferences], str]
"""The HTML of texts, by project, text and the things in the project that it names."""


# Contexts and params are never modified. They are not frozen because every request creates some, and creating
# frozen instances takes three times as long.


@dataclass(slots=True)
class Context:
    """The context of one request; ``project`` is the one that ``access.enter`` entered, if any.

    ``member`` says whether the caller works in that project, ``tickets_count`` how many tickets it had then.
    ``opening_texts`` says whether lists include the opening texts of tickets, as in the original dialect.
    ``rendered`` is the HTML of texts that were rendered beforehand. ``hook_networks`` are networks that hooks
    may reach although they are not public. ``via`` names the source of the request if it is neither the web
    site nor the API. ``credential`` is that of somebody who is just signing in, and has no ``principal`` yet.
    """

    transaction: Transaction
    principal: Principal | None = None
    entered: Project | None = None
    member: bool = False
    tickets_count: int = 0
    opening_texts: bool = False
    rendered: Rendered = field(default_factory=dict)
    hook_networks: Networks = ()
    via: str = ""
    credential: str = ""

    def inside(self, project: Project, *, member: bool, tickets_count: int) -> "Context":
        """Return the context of the same caller inside a project."""
        return Context(
            self.transaction,
            self.principal,
            project,
            member,
            tickets_count,
            self.opening_texts,
            self.rendered,
            self.hook_networks,
            self.via,
            self.credential,
        )

    def with_project(self, project: Project) -> "Context":
        """Return the context with the given current project."""
        return self.inside(project, member=self.member, tickets_count=self.tickets_count)

    @property
    def author(self) -> Principal:
        """Return the caller; raises Unauthenticated if nobody is signed in."""
        if self.principal is None:
            raise Unauthenticated
        return self.principal

    @property
    def reader_id(self) -> int | None:
        """Return the id of the caller, None if nobody is signed in."""
        return self.principal.user_id if self.principal else None

    @property
    def project(self) -> Project:
        """Return the current project; raises NotFound if none was entered."""
        if self.entered is None:
            raise NotFound
        return self.entered

    @property
    def project_id(self) -> int:
        """Return the id of the current project; raises NotFound if none was entered."""
        return self.project.id or 0


@dataclass(frozen=True)
class NewFile:
    """An uploaded file, stored under its code; name and type are the client's.

    ``size`` is in bytes; ``width`` and ``height`` are in pixels, None if it is not an image. ``checksum`` is
    not cryptographic. ``picture`` is the media type, detected from its bytes, of a picture that browsers can
    show, and empty for everything else.
    """

    code: str
    filename: str
    content_type: str
    size: int
    checksum: int
    width: int | None
    height: int | None
    picture: str


@dataclass(slots=True)
class Params:
    """The parameters of a request.

    ``ids`` and ``texts`` are the numbers and texts in the path, ``draft`` is the validated body,
    ``extra_params`` the parameters next to it, and ``query`` those of the query string. ``page`` is the
    page of a list, ``files`` are the uploaded files, ``rendered`` is the HTML of texts in the draft.
    ``sent_back`` says whether the body is a record that the client read here before. ``commands`` is the part
    of the text in which commands act, None for all of it. ``ignored`` are the names in the body that are
    not known.
    """

    ids: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    draft: Mapping[str, object] = field(default_factory=dict)
    extra_params: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    page: RequestedPage = FIRST_PAGE
    files: tuple[NewFile, ...] = ()
    rendered: Rendered = field(default_factory=dict)
    sent_back: bool = False
    commands: str | None = None
    ignored: Sequence[str] = ()

    def draft_of(self, kind: type[R]) -> Draft[R]:
        """Return the draft of a record class."""
        return Draft(kind, self.draft)

    def drafting(self, draft: Draft[R]) -> "Params":
        """Return the params with another draft."""
        return replace(self, draft=draft.sent)


@dataclass(frozen=True)
class ResultPage(Generic[R]):
    """A list or a page of one; ``total`` counts the items of all pages, and is None if there are no pages.

    If it is not ``exact``, counting stopped at ``total``. ``extra`` are numbers in the body beside the items.
    A list with cursors has ``last``, the cursor after its last item, and ``next`` if more items follow.
    ``searched_since`` is set if a slow search only covered the tickets changed since then.
    """

    kind: type[R]
    records: list[R]
    total: int | None = None
    exact: bool = True
    extra: Mapping[str, int] | None = None
    last: str | None = None
    next: str | None = None
    searched_since: datetime | None = None
