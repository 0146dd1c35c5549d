"""Atom feeds of recent activity (RFC 4287)."""

from dataclasses import replace
from datetime import UTC, datetime
from xml.sax.saxutils import escape

from skerry.resources.activities import Activity
from skerry.web.middleware import RequestInfo
from skerry.web.routes.route import Endpoint
from skerry.wire import formats
from skerry.wire.formats import Format
from skerry.wire.values import UNSTORABLE
from skerry.wire.xml import HEAD

ATOM = replace(formats.XML, name="atom", content_type="application/atom+xml; charset=utf-8")
"""The format of feeds, which there are of activities only; what goes wrong is said in XML."""

_ADDRESSES = {"ticket": "", "message": "[Message] ", "changeset": "[Changeset] "}
# The time of a feed without entries.
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def at(endpoint: Endpoint) -> Format | None:
    """Return the format of the feed at a path, None if there is no feed."""
    return ATOM if endpoint.reading is not None and endpoint.reading.kind is Activity else None


def write(info: RequestInfo, activities: list[Activity]) -> bytes:
    """Return the feed of recent activity, newest first, for the requested URL."""
    address = escape(f"{info.base}{info.quoted_path}")
    changed = activities[0].happened_at if activities else None
    entries = "".join(map(_entry, activities))
    text = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><id>{address}.atom</id>'
        f"<title>{escape(info.host)}: what happened lately</title>{_timestamp('updated', changed)}"
        f'<link rel="self" type="application/atom+xml" href="{address}.atom"/>'
        f'<link rel="alternate" type="text/html" href="{address}"/>{entries}</feed>'
    )
    return HEAD + UNSTORABLE.sub("\ufffd", text).encode()


def _entry(activity: Activity) -> str:
    number = f" [#{activity.number}]" if activity.kind == "ticket" else ""
    title = f"{_ADDRESSES[activity.kind]}{activity.project_name}: {activity.title}{number}"
    return (
        f"<entry><id>{escape(_id(activity))}</id><title>{escape(title)}</title>"
        f"{_timestamp('published', activity.happened_at)}{_timestamp('updated', activity.happened_at)}"
        f'<link rel="alternate" type="text/html" href="{escape(_id(activity))}"/>'
        f"<author><name>{escape(activity.user_name or '')}</name></author>"
        f"<summary>{escape(_summary(activity))}</summary></entry>"
    )


def _id(activity: Activity) -> str:
    """Return the unique URL of an activity."""
    if activity.kind == "ticket":
        return f"{activity.url}#v{activity.version}"
    if activity.action == "commented":
        # The comment's own URL shows the page of comments that it is on.
        endpoint = str(activity.url).rpartition("/")[0]
        return f"{endpoint}/{activity.message_id}#comment-{activity.message_id}"
    return str(activity.url)


def _summary(activity: Activity) -> str:
    state = f" ({activity.state})" if activity.action in ("opened", "closed") else ""
    said = f": {activity.excerpt}" if activity.excerpt else ""
    return f"{activity.action.capitalize()}{state}{said}"


def _timestamp(name: str, timestamp: datetime | None) -> str:
    when = (timestamp or _BEGINNING).replace(microsecond=0, tzinfo=None)
    return f"<{name}>{when.isoformat()}Z</{name}>"
