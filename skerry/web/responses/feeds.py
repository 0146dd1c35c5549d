"""Lists for other programs: Atom (RFC 4287), tables, and calendars of milestones and tickets."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from falcon.asgi import Response

from skerry.errors import NotAcceptable
from skerry.resources.activities import Activity
from skerry.resources.messages import Message
from skerry.resources.milestones import Milestone
from skerry.resources.tickets import Ticket
from skerry.text.characters import one_line
from skerry.text.rendered_html import absolute
from skerry.text.tags import read_tags
from skerry.tracker.context import Params, RequestedPage, ResultPage
from skerry.tracker.sending.feeds import FeedPage
from skerry.web.middleware import RequestInfo
from skerry.web.responses import calendars, tables
from skerry.web.route import Endpoint, ResponseKind
from skerry.wire import formats
from skerry.wire.formats import Format
from skerry.wire.record import Record
from skerry.wire.values import UNSTORABLE
from skerry.wire.xml import HEAD

ATOM = replace(formats.XML, name="atom", content_type="application/atom+xml; charset=utf-8")
"""The format of feeds; errors are in XML."""

CALENDAR = replace(formats.XML, name="ics", content_type="text/calendar; charset=utf-8")
"""The format of calendars; errors are in XML."""

FORMATS: Mapping[str, Format] = {ATOM.name: ATOM, CALENDAR.name: CALENDAR}
"""The formats of feeds, by their extensions."""

LIST_FORMATS: Mapping[str, Format] = {**FORMATS, tables.CSV.name: tables.CSV}
"""The additional formats of lists; secret URLs have no tables."""

_OF_KIND = {Activity: (ATOM,), Ticket: (ATOM, CALENDAR, tables.CSV), Message: (ATOM,), Milestone: (CALENDAR,)}

_TITLES = {Activity: "recent activity", Ticket: "tickets", Message: "messages", Milestone: "milestones"}

_TITLE_PREFIXES = {"ticket": "", "message": "[Message] ", "changeset": "[Changeset] "}
# The time of an empty feed.
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

_Names = Mapping[int | None, str]


class _Entry(NamedTuple):
    """An entry: its permanent URL, its title, author and time, and its content as XML."""

    address: str
    title: str
    author: str | None
    published: datetime | None
    updated: datetime | None
    content: str


def at(endpoint: Endpoint) -> Mapping[str, Format]:
    """Return the additional formats of the list at a path, by extension."""
    reading = endpoint.reading
    if reading is None:
        return {}
    if reading.response_kind is ResponseKind.FEED:
        return FORMATS
    is_list = reading.response_kind is ResponseKind.PAGE and not reading.path.endswith("}/comments")
    return {form.name: form for form in _OF_KIND.get(reading.kind, ())} if is_list else {}


def paged(form: Format | None, params: Params) -> Params:
    """Return the params of a list in a format: a table has all tickets, and one more tells that it is cut."""
    return replace(params, page=RequestedPage(1, tables.MAX + 1)) if form is tables.CSV else params


def headers_of(form: Format) -> tuple[tuple[str, str], ...]:
    """Return the headers of a list in a format: browsers save a table instead of showing it."""
    return (("Content-Disposition", 'attachment; filename="tickets.csv"'),) if form is tables.CSV else ()


def guard(response: Response, form: Format | None) -> None:
    """Set the headers of a secret URL; raises NotAcceptable for any other format."""
    response.set_header("Referrer-Policy", "no-referrer")
    response.set_header("X-Robots-Tag", "noindex")
    if form not in FORMATS.values():
        raise NotAcceptable


def write(form: Format, info: RequestInfo, params: Params, page: ResultPage[Record]) -> bytes:
    """Return a list as a feed, table or calendar; raises NotAcceptable for a wrong format."""
    only = page.extension if isinstance(page, FeedPage) else form.name
    if form not in _OF_KIND[page.kind] or form.name != only:
        raise NotAcceptable
    if form is tables.CSV:
        return tables.write([record for record in page.records if isinstance(record, Ticket)])
    names: _Names = page.names if isinstance(page, FeedPage) else {}
    title = f"{info.host}: {_TITLES[page.kind]}"
    if isinstance(page, FeedPage):
        title, place = page.note or _title(page), page.place
    else:
        asked = {"q": params.query["q"]} if page.kind is Ticket and params.query.get("q") else {}
        place = f"{info.quoted_path}{'?' if asked else ''}{urlencode(asked)}"
    if form is CALENDAR:
        return calendars.write(title, info.host, page.records, names)
    link = "" if isinstance(page, FeedPage) else "self"
    return _atom(f"{info.base}{place}", title, link, [_entry(record, names) for record in page.records])


def _title(page: FeedPage) -> str:
    words = _TITLES[page.kind]
    return f"{next(iter(page.names.values()))}: {words}" if len(page.names) == 1 else words.capitalize()


def _atom(address: str, title: str, link: str, entries: list[_Entry]) -> bytes:
    """Return an Atom feed of a list."""
    path, mark, query = address.partition("?")
    own = f"{path}.atom{mark}{query}"
    # A URL with a secret is left out, because the feed may be passed on.
    own_link = f'<link rel="self" type="application/atom+xml" href={quoteattr(own)}/>' if link else ""
    changed = max((entry.updated for entry in entries if entry.updated), default=None)
    inside = "".join(map(_written, entries))
    text = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><id>{escape(own)}</id>'
        f"<title>{_line(title)}</title>{_timestamp('updated', changed)}{own_link}"
        f'<link rel="alternate" type="text/html" href={quoteattr(address)}/>{inside}</feed>'
    )
    return HEAD + UNSTORABLE.sub("\ufffd", text).encode()


def _written(entry: _Entry) -> str:
    address = escape(entry.address)
    return (
        f"<entry><id>{address}</id><title>{_line(entry.title)}</title>"
        f"{_timestamp('published', entry.published)}{_timestamp('updated', entry.updated)}"
        f'<link rel="alternate" type="text/html" href={quoteattr(entry.address)}/>'
        f"<author><name>{_line(entry.author or '')}</name></author>{entry.content}</entry>"
    )


def _entry(record: Record, names: _Names) -> _Entry:
    return _ENTRIES[type(record)](record, names)


def _of_activity(activity: Activity, _names: _Names) -> _Entry:
    number = f" [#{activity.number}]" if activity.kind == "ticket" else ""
    title = f"{_TITLE_PREFIXES[activity.kind]}{activity.project_name}: {activity.title}{number}"
    moment = activity.happened_at
    summary = f"<summary>{_line(_summary(activity))}</summary>"
    return _Entry(_id(activity), title, activity.user_name, moment, moment, summary)


def _id(activity: Activity) -> str:
    """Return the unique URL of an activity."""
    if activity.kind == "ticket":
        return f"{activity.url}#v{activity.version}"
    if activity.action == "commented":
        # The comment's own URL redirects to the page of comments that contains it.
        messages_url = str(activity.url).rpartition("/")[0]
        return f"{messages_url}/{activity.message_id}#comment-{activity.message_id}"
    return str(activity.url)


def _summary(activity: Activity) -> str:
    state = f" ({activity.state})" if activity.action in ("opened", "closed") else ""
    said = f": {activity.excerpt}" if activity.excerpt else ""
    return f"{activity.action.capitalize()}{state}{said}"


def _of_ticket(ticket: Ticket, names: _Names) -> _Entry:
    values = (ticket.state, ticket.assigned_user_name, ticket.milestone_title)
    summary = f"<summary>{_line(', '.join(filter(None, values)))}</summary>"
    tags = "".join(f"<category term={quoteattr(tag)}/>" for tag in read_tags(ticket.tag or ""))
    title = f"{_named(ticket.project_id, names)}{ticket.title} [#{ticket.number}]"
    return _Entry(
        str(ticket.url), title, ticket.user_name, ticket.created_at, ticket.updated_at, f"{tags}{summary}"
    )


def _of_message(message: Message, names: _Names) -> _Entry:
    # A long text comes without its HTML.
    html = absolute(message.body_html, str(message.url)) if message.body_html else ""
    kind, text = ("html", html) if html else ("text", message.body)
    content = f'<content type="{kind}">{escape(text)}</content>'
    title = f"{_named(message.project_id, names)}{message.title}"
    return _Entry(str(message.url), title, message.user_name, message.created_at, message.updated_at, content)


_ENTRIES: Mapping[type[Record], Callable[..., _Entry]] = {
    Activity: _of_activity,
    Ticket: _of_ticket,
    Message: _of_message,
}


def _named(project_id: int | None, names: _Names) -> str:
    """Return the name of a project with a colon if it is needed to tell entries apart."""
    return f"{names[project_id]}: " if len(names) > 1 and project_id in names else ""


def _line(text: str) -> str:
    return escape(one_line(text))


def _timestamp(name: str, timestamp: datetime | None) -> str:
    when = (timestamp or _BEGINNING).replace(microsecond=0, tzinfo=None)
    return f"<{name}>{when.isoformat()}Z</{name}>"
