"""What is asked of the product beside another tracker, which is asked for the same in its own words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlencode

from bench.compare.beside_data import Told
from bench.load import Request
from bench.operations import CHANGE, LIST, PER_PAGE, TICKET, WORD, opening

READING, WRITING = (1, 16), (1, 4)
"""With how many connections something is measured."""

WRITES = ("create", "update")

LONG_SECONDS = 4
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Ask:
    """A request, and what its answer has: a status, and some pieces so many times at least.

    Where the answer does not tell whether it was done, that to ``then`` does.
    """

    request: Request
    pieces: Mapping[bytes, int]
    status: int = 200
    then: Self | None = None


@dataclass(frozen=True)
class Deed:
    """One thing to do; where a side needs several requests for it, they follow each other."""

    name: str
    ours: tuple[Ask, ...]
    theirs: tuple[Ask, ...]

    @property
    def writes(self) -> bool:
        """Return whether it changes anything."""
        return self.name in WRITES


@dataclass(frozen=True)
class SignIn:
    """How the member shows who he is to both, in how many rounds of how many seconds, and for which deeds."""

    name: str
    ours: Mapping[str, str]
    theirs: Mapping[str, str]
    rounds: int
    seconds: int = 1
    only: tuple[str, ...] = ()


def long_rounds(our_token: str, theirs: Mapping[str, str], seconds: int) -> SignIn:
    """Show tokens to both, in rounds long enough for a tracker that has some answers a second."""
    rounds = max(1, seconds // LONG_SECONDS)
    return SignIn("token", {"X-ServiceToken": our_token}, theirs, rounds, LONG_SECONDS)


def get(headers: Mapping[str, str], path: str, pieces: Mapping[bytes, int]) -> Ask:
    """Read what has these pieces."""
    return Ask(Request("GET", path, headers=headers), pieces)


def form(headers: Mapping[str, str], path: str, values: Mapping[str, str], highest: int) -> Request:
    """Send a form of a page as browsers do, of one of so many tickets."""
    sent = {**headers, "Content-Type": FORM}
    return Request("POST", path, urlencode(values, safe="@"), sent, highest)


def deeds(sign_in: SignIn, told: Told, theirs: Mapping[str, tuple[Ask, ...]]) -> tuple[Deed, ...]:
    """Return all that both are able to do with this sign-in; those that write come last."""
    return tuple(
        Deed(name, ours, theirs[name])
        for name, ours in _ours(sign_in.ours, told).items()
        if name in theirs and (not sign_in.only or name in sign_in.only)
    )


def _ours(headers: Mapping[str, str], told: Told) -> dict[str, tuple[Ask, ...]]:
    maker = _Maker(headers, told)
    query = f"?q={quote(WORD)}"
    found, rows = {told.newest_with_word.encode(): 1}, {b' data-row="': PER_PAGE}
    return {
        "list": maker.list("", told.newest),
        "list-later": maker.list(f"?page={told.page}", told.later),
        "ticket": maker.read(f"{LIST}/{TICKET}.json", {b'"versions":[{': 1, told.comment.encode(): 1}),
        "search": maker.list(query, told.newest_with_word),
        "filter": maker.list(query, told.newest_with_word),
        "list-page": maker.page(LIST, {**rows, told.newest.encode(): 1}),
        "ticket-page": maker.page(f"{LIST}/{TICKET}", {told.comment.encode(): 1}),
        "search-page": maker.page(LIST + query, {**rows, **found}),
        "create": maker.write("POST", f"{LIST}.json", opening(2), 201),
        "update": maker.write("PUT", f"{LIST}/@number@.json", CHANGE, 200),
    }


@dataclass(frozen=True)
class _Maker:
    headers: Mapping[str, str]
    told: Told

    def read(
        self, path: str, pieces: Mapping[bytes, int], accept: str = "application/json"
    ) -> tuple[Ask, ...]:
        return (get({**self.headers, "Accept": accept}, path, pieces),)

    def list(self, query: str, title: str) -> tuple[Ask, ...]:
        return self.read(f"{LIST}.json{query}", {b'{"ticket":': PER_PAGE, title.encode(): 1})

    def page(self, path: str, pieces: Mapping[bytes, int]) -> tuple[Ask, ...]:
        return self.read(path, pieces, "text/html")

    def write(self, method: str, path: str, body: str, status: int) -> tuple[Ask, ...]:
        headers = {**self.headers, "Content-Type": "application/json"}
        return (Ask(Request(method, path, body, headers, self.told.tickets), {b'"number":': 1}, status),)
