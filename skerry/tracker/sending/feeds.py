"""Feeds and calendars: lists at secret URLs, for programs that cannot sign in.

Anybody with the URL can read the list with the current permissions of its owner, and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlencode

from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.activities import Activity
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.sending import Feed
from skerry.resources.tickets import Ticket
from skerry.store.sending import feeds as store
from skerry.text.queries.query import parse
from skerry.text.queries.query_tree import And, Everything, Query
from skerry.tracker import access, activities, messages, milestones, projects, secrets, tickets
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params, Principal, RequestedPage, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.search import FEED, check_query, parse_query
from skerry.wire.record import Record, changed

MAX = 50
"""How many feeds a person may have in an account."""

_ENTRIES = RequestedPage(limit=50)
_OPEN = RequestedPage(limit=200)
_COMPLETED = RequestedPage(limit=100)

_DUE_OPEN, _DUE_CLOSED = (
    parse("-due:none (state:open) sort:due"),
    parse("-due:none (state:closed) sort:due-"),
)

_OF_TICKETS = ("tickets", "due_dates")
"""The kinds that a query selects."""

_NONE = "There is no such feed"
_NONE_HERE = "There is no feed at this address; its owner may have deleted it"


@dataclass(frozen=True)
class FeedPage(ResultPage[Record]):
    """The list of a feed, read at a URL of its own.

    ``extension`` is that of its format, ``place`` the path of the list itself, ``note`` the note of its
    owner. ``names`` are the names of the projects by id.
    """

    extension: str = ""
    place: str = ""
    note: str = ""
    names: Mapping[int | None, str] = field(default_factory=dict)


Followed = ResultPage[Ticket] | ResultPage[Activity] | ResultPage[Message] | ResultPage[Milestone]
"""The kinds of lists that feeds contain."""

_List = Callable[[Context, Params], Followed]


class FeedKind(NamedTuple):
    """A kind of feed: the extension of its URLs, and its lists."""

    extension: str
    of_project: _List
    across_projects: _List | None


def _scheduled(context: Context, params: Params) -> ResultPage[Ticket]:
    """Return the open tickets with a due date, followed by the closed ones that were due last."""
    wanted, records = parse_query(params.query.get("q", "")).condition, list[Ticket]()
    parts = () if isinstance(wanted, Everything) else (wanted,)
    for narrowed, page in ((_DUE_OPEN, _OPEN), (_DUE_CLOSED, _COMPLETED)):
        query = Query(And((narrowed.condition, *parts)), narrowed.sorts)
        records += tickets.matching(context, Params(page=page), query).records
    return ResultPage(Ticket, records)


def _due(find: Callable[[Context, Params], ResultPage[Milestone]]) -> _List:
    """Return a list of the open milestones, followed by those completed last."""

    def found(context: Context, _params: Params) -> ResultPage[Milestone]:
        records: list[Milestone] = []
        for state, page in (("open", _OPEN), ("closed", _COMPLETED)):
            records += find(context, Params(query={"state": state}, page=page)).records
        return ResultPage(Milestone, records)

    return found


KINDS: Mapping[str, FeedKind] = {
    "tickets": FeedKind("atom", tickets.list_all, tickets.list_all),
    "activity": FeedKind("atom", activities.list_all, activities.list_across_projects),
    "messages": FeedKind(
        "atom", lambda context, params: messages.list_without_comments(context, params.page), None
    ),
    "milestones": FeedKind("ics", _due(milestones.list_all), _due(milestones.list_across_projects)),
    "due_dates": FeedKind("ics", _scheduled, _scheduled),
}


def list_all(context: Context, _params: Params) -> ResultPage[Feed]:
    """Return the caller's feeds without their URLs, the newest first."""
    return ResultPage(Feed, store.ROWS.all(context.transaction, context.author.user_id))


def get(context: Context, params: Params) -> Feed:
    """Return one of the caller's feeds without its URL; raises NotFound."""
    feed = store.ROWS.one(context.transaction, context.author.user_id, params.ids["id"])
    if feed is None:
        raise NotFound(_NONE)
    return feed


def create(context: Context, params: Params) -> Feed:
    """Create a feed for the caller; only this response contains its URL.

    Raises Invalid for an invalid value, NotFound if the project is not visible, Conflict if there are too
    many feeds.
    """
    new = params.draft_of(Feed).new
    _check(new)
    if new.project_id is not None:
        access.enter(context, new.project_id, Permission.VIEW, writes=False)
    user_id, secret = context.author.user_id, secrets.new_token()
    if store.ROWS.count(context.transaction, user_id) >= MAX:
        raise Conflict(f"You have {MAX} feeds; delete one that you no longer need")
    feed_id = store.ROWS.insert(
        context.transaction,
        user_id,
        project_id=new.project_id,
        kind=new.kind,
        query=new.query,
        note=new.note,
        hash=secrets.hash_token(secret),
    )
    events.record(context, Type.FEED_CREATED, feed_id)
    made = get(context, Params(ids={"id": feed_id}))
    address = f"{context.transaction.base}/feeds/{secret}.{KINDS[new.kind].extension}"
    return changed(made, url=address)


def _check(feed: Feed) -> None:
    kind = KINDS.get(feed.kind)
    if kind is None:
        raise Invalid(f"Kind must be one of {', '.join(KINDS)}")
    if kind.across_projects is None and feed.project_id is None:
        raise Invalid("Project can't be blank: messages belong to one project")
    if feed.query and feed.kind not in _OF_TICKETS:
        raise Invalid("Query is only available for tickets")
    check_query(feed.query)


def delete(context: Context, params: Params) -> None:
    """Delete one of the caller's feeds, whose URL stops working; raises NotFound."""
    if not store.ROWS.delete(context.transaction, context.author.user_id, params.ids["id"]):
        raise NotFound(_NONE)
    events.record(context, Type.FEED_DELETED, params.ids["id"])


def read(context: Context, params: Params) -> FeedPage:
    """Return the list of the feed with a secret, as its owner sees it now.

    Raises NotFound if there is no such feed or its owner may no longer see the list.
    """
    opened = store.with_hash(context.transaction, secrets.hash_token(params.texts["code"]))
    if opened is None:
        raise NotFound(_NONE_HERE)
    feed = opened.feed
    owner = Principal(feed.user_id or 0, opened.name, opened.role, read_only=True)
    here, kind = Context(context.transaction, owner, via=FEED), KINDS[feed.kind]
    access.see_as(here)
    if feed.project_id is not None:
        here = access.enter(here, feed.project_id, Permission.VIEW, writes=False)
        find, names = kind.of_project, {here.project.id: here.project.name}
    else:
        find = kind.across_projects or kind.of_project
        names = projects.names(here)
    asked = {"q": feed.query} if feed.query else {}
    page = find(here, Params(query=asked, page=_ENTRIES))
    records, extension = [*page.records], kind.extension
    return FeedPage(page.kind, records, extension=extension, place=_place(feed), note=feed.note, names=names)


def _place(feed: Feed) -> str:
    """Return the path of the page with the list."""
    inside = f"/projects/{feed.project_id}" if feed.project_id is not None else ""
    asked = f"?{urlencode({'q': feed.query})}" if feed.query else ""
    listed = "tickets" if feed.kind in _OF_TICKETS else feed.kind
    return f"{inside}/{listed}{asked}"
