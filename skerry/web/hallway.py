"""The hallway: every request for a resource goes the same way, and no other."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import falcon

from skerry.config import Settings
from skerry.errors import Missing, NotAcceptable, Trouble, Unreadable
from skerry.store import accounts
from skerry.store.database import Database, Transaction
from skerry.text.slugs import leading_number
from skerry.tracker import access
from skerry.tracker.visit import Ask, Caller, Page, Visit
from skerry.web import answer, bodies, front, paging
from skerry.web.credentials import Credentials
from skerry.web.front import Arrival
from skerry.web.log import Log
from skerry.web.negotiation import wanted_format
from skerry.web.routes import Gives, Line, Place
from skerry.wire import dialect, drafts, formats
from skerry.wire.formats import Format
from skerry.wire.record import UNSET
from skerry.wire.tree import Tree

# What stands in a path as it is; everything else is a number that may carry a slug.
_TEXTS = ("revision", "token", "filename")
_OVERRIDES = {"put": "PUT", "delete": "DELETE"}
_MOST_PARAMETERS = 200


class Hallway:
    """Takes requests from the front door to the work and back; made once in each process."""

    def __init__(self, database: Database, settings: Settings, log: Log) -> None:
        """Use these; the credentials' memory is the hallway's own."""
        self.database = database
        self.settings = settings
        self.log = log
        self._credentials = Credentials()
        self._formats = dialect.FORMATS if settings.dialect == dialect.NAME else formats.FORMATS

    def format_of(self, request: falcon.Request) -> Format | None:
        """Give the format of the answer, or None for a page; raises NotAcceptable."""
        arrival: Arrival = request.env[front.KEY]
        if arrival.extension is None:
            return self.liked_format(request)
        if arrival.extension not in self._formats:
            raise NotAcceptable
        return self._formats[arrival.extension]

    def liked_format(self, request: falcon.Request) -> Format | None:
        """Give the format that the headers ask for, whatever the address does, or None for a page."""
        name = wanted_format(request.get_header("Accept"), request.get_header("Content-Type"))
        return self._formats[name] if name else None

    def answer(
        self, place: Place, request: falcon.Request, response: falcon.Response, segments: Mapping[str, str]
    ) -> None:
        """Answer one request; every error becomes an answer too."""
        form = self.liked_format(request)
        try:
            form = self.format_of(request)
            if request.method == "OPTIONS":
                response.set_header("Allow", ", ".join(place.allowed))
                return
            self._answer(place, request, response, form, segments)
        except Trouble as trouble:
            answer.fail(response, form, trouble)

    def _answer(
        self,
        place: Place,
        request: falcon.Request,
        response: falcon.Response,
        form: Format | None,
        segments: Mapping[str, str],
    ) -> None:
        query = _query(request)
        tree = bodies.early_form(request, self.settings)
        line = place.line(_method(request, query, tree))
        if form is None:
            # The site has no page here; programs ask for a format.
            raise Missing("There is no page here; add .json or .xml to the address")
        ask = _addressed(line, segments, query)
        if line.writes:
            ask, result = self._write(place, line, request, form, ask, tree)
        else:
            result = self._read(line, request, ask)
        answer.succeed(request, response, line, form, ask, result)

    def _read(self, line: Line, request: falcon.Request, ask: Ask) -> Any:
        with self.database.read() as transaction:
            caller = self._arrive(transaction, request, ask.query)
            visit = _let_in(Visit(transaction, caller), line, ask)
            return line.work(visit, ask)

    def _write(
        self, place: Place, line: Line, request: falcon.Request, form: Format, ask: Ask, tree: Tree | None
    ) -> tuple[Ask, Any]:
        with self.database.read() as short:
            caller = self._arrive(short, request, ask.query)
            access.admit(Visit(short, caller), line.need, writes=True)
            account_id, base = short.account_id, short.base
        ask = _with_draft(line, request, ask, bodies.tree_of(request, self.settings) if tree is None else tree)
        with self.database.write(account_id) as transaction:
            transaction.base = base
            visit = _let_in(Visit(transaction, caller), line, ask)
            self._check_unchanged(place, request, visit, ask)
            return ask, line.work(visit, ask)

    def _arrive(
        self, transaction: Transaction, request: falcon.Request, query: Mapping[str, str]
    ) -> Caller | None:
        """Bring the transaction to the account of the request's host, and find out who asks."""
        arrival: Arrival = request.env[front.KEY]
        account = accounts.at_host(transaction, arrival.host)
        if account is None:
            raise Missing(f"There is no account at {arrival.host}")
        transaction.account_id, transaction.base = account.id, arrival.base
        return self._credentials.identify(transaction, request, query, arrival.address)

    def _check_unchanged(self, place: Place, request: falcon.Request, visit: Visit, ask: Ask) -> None:
        if request.get_header("If-Match") is None or place.reading is None:
            return
        present = place.reading.work(visit, ask)
        answer.check_unchanged(request, (answer.encode(form, present) for form in self._formats.values()))


def _let_in(visit: Visit, line: Line, ask: Ask) -> Visit:
    access.admit(visit, line.need, writes=line.writes)
    if not line.in_project:
        return visit
    return access.enter(visit, ask.ids["project_id"], line.need, writes=line.writes)


def _query(request: falcon.Request) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            request.query_string, keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
        )
    except ValueError as error:
        raise Unreadable("The query string cannot be read") from error
    for name, value in pairs:
        if "\0" in name or "\0" in value:
            raise Unreadable("The query string holds a NUL character")
    return dict(pairs)


def _method(request: falcon.Request, query: Mapping[str, str], tree: Tree | None) -> str:
    """Give the method that is meant; tools that can only POST name another one beside it."""
    if request.method != "POST":
        return request.method
    named = request.get_header("X-HTTP-Method-Override") or query.get("_method") or (tree or {}).get("_method")
    return _OVERRIDES.get(str(named).lower(), "POST")


def _addressed(line: Line, segments: Mapping[str, str], query: Mapping[str, str]) -> Ask:
    ids: dict[str, int] = {}
    for name, segment in segments.items():
        if name not in _TEXTS:
            number = leading_number(segment)
            if number is None:
                raise Missing
            ids[name] = number
    texts = {name: segment for name, segment in segments.items() if name in _TEXTS}
    page = paging.read(query) if line.gives is Gives.PAGE else Page()
    return Ask(ids=ids, texts=texts, query=query, page=page)


def _with_draft(line: Line, request: falcon.Request, ask: Ask, tree: Tree) -> Ask:
    sources: tuple[Mapping[str, Any], ...] = (ask.query,)
    found = {name: source[name] for source in sources for name in line.beside if name in source}
    for name in line.beside:
        value = drafts.beside(tree, name)
        if value is not UNSET:
            found[name] = value
    if line.draft is None:
        return replace(ask, beside=found)
    draft = drafts.read(line.draft, _rooted(line, tree, found), creating=bool(line.makes))
    return replace(ask, beside=found, draft=draft)


def _rooted(line: Line, tree: Tree, found: Mapping[str, Any]) -> Tree:
    """A request that holds nothing but parameters is an empty change of the resource."""
    if line.draft and not line.makes and found and set(tree) <= {*found, "_method"}:
        return {**tree, line.draft.singular: {}}
    return tree
