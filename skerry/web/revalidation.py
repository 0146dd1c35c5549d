"""Revalidation: as long as nothing changes, who has an answer already gets a 304 before anything is read.

An answer is remembered under all that it may depend on beside the data: the address as it was asked,
who asks, and in what format. Whoever asks for the same with the tag of that answer gets a 304 at once.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

import falcon

from skerry.store.database import Database
from skerry.tracker.visit import Caller, Visit
from skerry.web import answer, front
from skerry.web.answer import Seen
from skerry.web.front import Application, Environment, StartResponse
from skerry.web.lanes import has_body, has_password
from skerry.web.metrics import ROUTE
from skerry.web.passage import Passage
from skerry.wire.formats import Format

KEY = "skerry.again"
"""Where the environment of a request holds the key under which its answer may be remembered."""

LONGEST = 300
"""Of addresses with more characters nothing is remembered: nobody is to fill the memory with them."""

# How a request can say who sends it, and which format it likes.
_CREDENTIALS = ("HTTP_X_SERVICETOKEN", "HTTP_X_LIGHTHOUSETOKEN", "HTTP_AUTHORIZATION", "HTTP_COOKIE")
_SAID = (*_CREDENTIALS, "HTTP_ACCEPT", "CONTENT_TYPE")
_READING = ("GET", "HEAD")

Admit = Callable[[Environment, int, Caller | None], None]
"""Counts a caller's request in an account; raises TooMany."""


class Known(NamedTuple):
    """An answer that was given: its tag and headers, the template of its address, and who asked where."""

    tag: str
    headers: list[tuple[str, str]]
    route: str | None
    account_id: int
    caller: Caller | None


class Revalidation:
    """A WSGI application around another that answers whoever has what there is."""

    def __init__(self, inside: Application, database: Database, admit: Admit) -> None:
        """Ask the database whether it has changed, and let nobody ask more often than they may."""
        self._inside = inside
        self._database = database
        self._admit = admit

    def __call__(self, environment: Environment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        sent = environment.get("HTTP_IF_NONE_MATCH")
        known = self._known(environment, sent) if sent is not None and _may_be_known(environment) else None
        if known is None:
            return self._inside(environment, start_response)
        environment[ROUTE] = known.route
        start_response(falcon.HTTP_304, known.headers)
        return []

    def _known(self, environment: Environment, sent: str) -> Known | None:
        """Give what the caller has, if it is still what there is; whatever is wrong is said inside."""
        key = environment[KEY] = _key(environment)
        with suppress(Exception):
            known: Known | None = self._database.remembered(key)
            if known and answer.matches(sent, [known.tag]):
                self._admit(environment, known.account_id, known.caller)
                return known
        return None


def remember(visit: Visit, passage: Passage, form: Format, seen: Seen) -> None:
    """Remember what is answered until something changes."""
    request, transaction = passage.request, visit.transaction
    known = Known(
        seen.tag,
        [(name.lower(), value) for name, value in answer.headers(form, seen)],
        request.uri_template,
        transaction.account_id,
        visit.caller,
    )
    transaction.remember(request.env[KEY], known)


def _may_be_known(environment: Environment) -> bool:
    """Say whether an answer is remembered; a password is checked each time."""
    arrival = front.arrival_of(environment)
    return (
        environment["REQUEST_METHOD"] in _READING
        and len(arrival.path) + len(environment["QUERY_STRING"]) <= LONGEST
        and not has_body(environment)
        and not has_password(environment)
    )


def _key(environment: Environment) -> bytes:
    """Give what differs for requests whose answers may differ; it gives away no token."""
    arrival = front.arrival_of(environment)
    asked = (arrival.host, arrival.base, arrival.path, arrival.extension, environment["QUERY_STRING"])
    said = [environment.get(name) for name in _SAID]
    return sha256(repr((asked, said)).encode()).digest()
