"""The hallway: every request for a resource goes the same way, and no other.

A request that reads: find out who asks, let them in, do the work, show it, all in one transaction. What one
that writes does stands in ``writing``.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import falcon

from skerry import errors
from skerry.config import Settings
from skerry.store import accounts
from skerry.store.blobs import Blobs
from skerry.store.database import Database
from skerry.store.transactions import Transaction
from skerry.tracker.visit import Ask, Caller, Visit
from skerry.web import (
    answer,
    asking,
    bodies,
    downloads,
    drafting,
    feeds,
    front,
    negotiation,
    revalidation,
)
from skerry.web.answer import Found, Seen
from skerry.web.authentication import Authentication
from skerry.web.log import Log
from skerry.web.passage import Passage
from skerry.web.routes import Gives, Place
from skerry.web.shared_counts import SharedCounts
from skerry.web.site import browser, frame, kept, signing, site
from skerry.web.site.frame import Entered, Frame
from skerry.web.writing import Writing
from skerry.wire import dialect, formats
from skerry.wire.formats import Format


class Hallway:
    """Takes requests from the front door to the work (``Line.work``) and back; made once in each process."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        log: Log,
        counts: SharedCounts,
    ) -> None:
        """Keep what all requests need; ``counts`` has what callers do too often."""
        self.database = database
        self.blobs, self.settings, self.log = blobs, settings, log
        self.authentication = Authentication(database, settings.requests_per_minute, counts)
        self._original = settings.dialect == dialect.NAME
        self.formats = dialect.FORMATS if self._original else formats.FORMATS
        self._writing = Writing(database, blobs, settings, self.authentication, self.formats)

    def answer(
        self, place: Place, request: falcon.Request, response: falcon.Response, segments: Mapping[str, str]
    ) -> None:
        """Answer one request; raises Trouble, which ``fail`` answers."""
        form = negotiation.wanted(request, self.formats, feeds.at(place))
        if request.method == "OPTIONS":
            response.set_header("Allow", ", ".join(place.allowed))
        else:
            self._answer(place, request, response, form, segments)

    def fail(self, request: falcon.Request, response: falcon.Response, trouble: errors.Trouble) -> None:
        """Answer with what went wrong, in the caller's format or as a page."""
        try:
            form = negotiation.wanted(request, self.formats, self.formats["xml"])
        except errors.NotAcceptable as worse:
            form, trouble = negotiation.liked(request, self.formats), worse
        if form is not None:
            answer.fail(response, form, trouble)
        elif isinstance(trouble, errors.Unauthenticated) and signing.is_for_people(request):
            if kept.has_words(request):
                site.send_trouble(request, response, frame.frame_of(request), errors.SignedOut())
            else:
                signing.lead(response, signing.address(request))
        elif isinstance(trouble, errors.Unauthenticated):
            # Signing in has failed already. To try it again for the page would take long and count twice.
            site.send_trouble(request, response, frame.frame_of(request), trouble)
        else:
            site.send_trouble(request, response, self._frame_in_trouble(request), trouble)

    def _frame_in_trouble(self, request: falcon.Request) -> Frame:
        try:
            return self.frame(request)
        except Exception as error:  # noqa: BLE001 - what went wrong first is answered all the same
            self.log.failure("failure", front.arrival_of(request.env).request_id, error)
            return frame.frame_of(request)

    def frame(self, request: falcon.Request) -> Frame:
        """Give the frame of a page that shows nothing of the account's, even to who asks too often."""
        found = frame.frame_of(request)
        with suppress(errors.Trouble):
            self.authentication.check_password(request, Ask())
            with self.database.read() as transaction:
                caller = self.authentication.find(transaction, request, Ask())
                frame.fill(found, Visit(transaction, caller), accounts.name_of(transaction))
                self.authentication.admit(request.env, transaction.account_id, caller)
        return found

    def _answer(
        self,
        place: Place,
        request: falcon.Request,
        response: falcon.Response,
        form: Format | None,
        segments: Mapping[str, str],
    ) -> None:
        query = asking.query_of(request)
        tree = bodies.early_form(
            request, self.settings, lambda: self.authentication.recognize(request, query)
        )
        line = asking.line_of(place, request, query, tree)
        if line.gives is Gives.FILE:
            # A file is what it is, in whatever format it is asked for.
            form = formats.JSON
        if form is None and not line.writes:
            line = site.line_at(place.path)
        elif form is not None and line.gives is Gives.SHEET:
            raise errors.Missing("There is only a page here, and nothing for programs")
        ask = asking.addressed(line, segments, query)
        passage = Passage(place, line, request, form, ask, tree)
        self.authentication.check_password(request, ask)
        if form is None:
            self._answer_browser(passage, response, segments)
        elif line.writes:
            answer.send(request, response, self._writing.write(passage))
        elif line.gives is Gives.FILE:
            downloads.send(passage, response, self.blobs, self._read(passage))
        else:
            answer.show(request, response, form, self._read(passage, form))

    def _answer_browser(
        self, passage: Passage, response: falcon.Response, segments: Mapping[str, str]
    ) -> None:
        if not passage.line.writes:
            self._show(passage, response, Entered())
            return
        try:
            self._take_form(passage, response, segments)
        except Exception:
            passage.request.context.kept = kept.of(passage, self.settings)
            raise

    def _take_form(self, passage: Passage, response: falcon.Response, segments: Mapping[str, str]) -> None:
        try:
            reply = self._writing.write(passage)
        except answer.SHOWN_AGAIN as trouble:
            drafting.recover(passage, self.settings)
            response.status = answer.STATUSES[type(trouble)]
            entered = Entered(passage.tree, list(trouble.sentences), slip=passage.slip)
            self._show_again(passage, response, segments, entered)
            return
        browser.say_taken(response, passage.slip)
        if reply.user_id:
            signing.sign_in(self, passage.request, response, reply.user_id)
        if reply.secret is None:
            answer.send(passage.request, response, reply)
        else:
            self._show_again(passage, response, segments, Entered(made=reply.secret))

    def _show_again(
        self, passage: Passage, response: falcon.Response, segments: Mapping[str, str], entered: Entered
    ) -> None:
        line = site.line_again(passage.line)
        ask = asking.addressed(line, segments, passage.ask.query)
        path = line.path.format_map(segments)
        self._show(replace(passage, line=line, ask=ask), response, entered, path)

    def _show(self, passage: Passage, response: falcon.Response, entered: Entered, path: str = "") -> None:
        request = passage.request
        found = frame.frame_of(request, path)
        with self.database.read() as transaction:
            caller = self.authentication.arrive(transaction, request, passage.ask)
            visit = passage.let_in(Visit(transaction, caller))
            context = passage.line.work(visit, passage.ask)
            frame.fill(found, visit, accounts.name_of(transaction))
        site.send(request, response, found, site.template_of(passage.line), context, entered)

    def _read(self, passage: Passage, form: Format | None = None) -> Any:
        """Give what the work finds, or with a format how it is to be shown."""

        def show(form: Format, found: Found) -> Seen:
            return answer.seen(form, passage.arrival, passage.line, passage.ask, found)

        def look(transaction: Transaction, caller: Caller | None) -> Any:
            visit = passage.let_in(Visit(transaction, caller, opening_texts=self._original))
            result = passage.line.work(visit, passage.ask)
            if form is None:
                return result
            found = Found(result, transaction.shortened)
            if revalidation.KEY not in passage.request.env:
                return found
            seen = show(form, found)
            revalidation.remember(visit, passage, form, seen)
            return seen

        with self.database.read() as transaction:
            passage.caller = self.authentication.arrive(transaction, passage.request, passage.ask)
            found = look(transaction, passage.caller)
        if form is None or isinstance(found, Seen):
            return found
        return show(form, found)
