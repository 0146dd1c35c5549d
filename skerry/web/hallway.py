"""The hallway: every request for a resource goes the same way, and no other."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import falcon

from skerry.config import Settings
from skerry.errors import Collision, Missing, NotAcceptable, Trouble
from skerry.store import accounts
from skerry.store.blobs import Blobs
from skerry.store.database import Database, Transaction
from skerry.tracker import access
from skerry.tracker.visit import Ask, Caller, Visit
from skerry.web import answer, asking, bodies, downloads, front, repeats
from skerry.web.answer import Reply
from skerry.web.credentials import Credentials
from skerry.web.front import Arrival
from skerry.web.incoming import Incoming
from skerry.web.log import Log
from skerry.web.negotiation import wanted_format
from skerry.web.routes import Gives, Line, Place
from skerry.web.throttling import Throttle
from skerry.wire import dialect, formats
from skerry.wire.formats import Format
from skerry.wire.tree import Tree
from skerry.wire.uploads import Upload

# How often something is tried when others change the same thing at the same moment.
_TRIES = 3


@dataclass(frozen=True)
class Passage:
    """One request on its way: where it goes, what it asks, and the format of its answer.

    ``tree`` is the body where it had to be read to know the method.
    """

    place: Place
    line: Line
    request: falcon.Request
    form: Format
    ask: Ask
    tree: Tree | None

    @property
    def arrival(self) -> Arrival:
        """Give what the front door found out."""
        arrival: Arrival = self.request.env[front.KEY]
        return arrival


class Hallway:
    """Takes requests from the front door to the work and back; made once in each process."""

    def __init__(self, database: Database, blobs: Blobs, settings: Settings, log: Log) -> None:
        """Use these; the credentials' memory is the hallway's own."""
        self.database = database
        self.blobs = blobs
        self.settings = settings
        self.log = log
        self._credentials = Credentials()
        self._throttle = Throttle(settings.requests_per_minute)
        self._original = settings.dialect == dialect.NAME
        self._formats = dialect.FORMATS if self._original else formats.FORMATS

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
        query = asking.query_of(request)
        tree = bodies.early_form(request, self.settings)
        line = asking.line_of(place, request, query, tree)
        if line.gives is Gives.FILE:
            # A file is what it is, in whatever format it is asked for.
            form = formats.JSON
        if form is None:
            # The site has no page here; programs ask for a format.
            raise Missing("There is no page here; add .json or .xml to the address")
        ask = asking.addressed(line, segments, query)
        passage = Passage(place, line, request, form, ask, tree)
        if line.writes:
            answer.send(request, response, self._write(passage))
        elif line.gives is Gives.FILE:
            downloads.send(request, response, self.blobs, self._read(passage))
        else:
            answer.show(request, response, form, ask, self._read(passage))

    def _read(self, passage: Passage) -> Any:
        with self.database.read() as transaction:
            caller = self._arrive(transaction, passage)
            visit = _let_in(Visit(transaction, caller, opening_texts=self._original), passage)
            return passage.line.work(visit, passage.ask)

    def _write(self, passage: Passage) -> Reply:
        # Who asks and may do so is known before the body is read, and the body before anything is held.
        with self.database.read() as short:
            caller = self._arrive(short, passage)
            _let_in(Visit(short, caller), passage)
            account_id = short.account_id
        with Incoming(self.blobs, self.settings) as incoming:
            passage = self._with_body(passage, incoming, account_id)
            for _ in range(_TRIES - 1):
                with suppress(Collision):
                    return self._carry_out(passage, incoming, caller, account_id)
            return self._carry_out(passage, incoming, caller, account_id)

    def _with_body(self, passage: Passage, incoming: Incoming, account_id: int) -> Passage:
        """Read the body; the files that came with it are in their place when the draft is good."""
        line, tree, uploads = passage.line, passage.tree, list[Upload]()
        if tree is None:
            open_file = incoming.open if line.files else bodies.no_files
            tree, uploads = bodies.read(passage.request, self.settings, open_file)
            asking.check_line(passage.place, line, passage.request, passage.ask.query, tree)
        ask = asking.with_draft(line, passage.ask, tree, files=bool(uploads))
        ask = replace(ask, files=incoming.keep(account_id, uploads))
        return replace(passage, ask=ask, tree=tree)

    def _carry_out(
        self, passage: Passage, incoming: Incoming, caller: Caller | None, account_id: int
    ) -> Reply:
        line, ask, arrival = passage.line, passage.ask, passage.arrival
        with self.database.write(account_id) as transaction:
            transaction.base = arrival.base
            visit = _let_in(Visit(transaction, caller), passage)
            self._check_unchanged(passage, visit)

            def perform() -> Any:
                transaction.after_commit(incoming.settle)
                return line.work(visit, ask)

            def work() -> Reply:
                return answer.reply(line, passage.form, arrival.base, perform())

            key = repeats.key_of(passage.request)
            if key is None:
                result = perform()
            else:
                files = [(file.filename, file.size, file.checksum) for file in ask.files]
                address = f"{arrival.path}.{passage.form.name}"
                mark = repeats.fingerprint_of(line.verb, address, passage.tree or {}, files)
                return repeats.once(visit, key, mark, work)
        return answer.reply(line, passage.form, arrival.base, result)

    def _arrive(self, transaction: Transaction, passage: Passage) -> Caller | None:
        """Bring the transaction to the account of the request's host, and find out who asks."""
        arrival = passage.arrival
        account = accounts.at_host(transaction, arrival.host)
        if account is None:
            raise Missing(f"There is no account at {arrival.host}")
        transaction.account_id, transaction.base = account.id, arrival.base
        caller = self._credentials.identify(transaction, passage.request, passage.ask.query, arrival.address)
        self._throttle.admit(passage.request.env, caller, arrival.address)
        return caller

    def _check_unchanged(self, passage: Passage, visit: Visit) -> None:
        reading = passage.place.reading
        if passage.request.get_header("If-Match") is None or reading is None:
            return
        present = reading.work(visit, passage.ask)
        bodies_now = (answer.encode(form, present) for form in self._formats.values())
        answer.check_unchanged(passage.request, bodies_now)


def _let_in(visit: Visit, passage: Passage) -> Visit:
    line = passage.line
    access.admit(visit, line.need, writes=line.writes)
    if not line.in_project:
        return visit
    return access.enter(visit, passage.ask.ids["project_id"], line.need, writes=line.writes)
