"""What comes in the body of a request: its draft, its files, and the slip of a form of ours."""

from contextlib import suppress
from dataclasses import replace

from skerry.errors import BadRequest, SkerryError
from skerry.store import avatars
from skerry.store.database import Database
from skerry.tracker import rendering
from skerry.tracker.access import Need
from skerry.web import asking, bodies
from skerry.web.bodies import Body, Receiver
from skerry.web.incoming import Incoming
from skerry.web.passage import Passage
from skerry.web.site import browser
from skerry.wire import forms
from skerry.wire.tree import Tree


async def receive(passage: Passage, receiver: Receiver, incoming: Incoming) -> None:
    """Receive the body of a request whose sender may send it; raise what ``Receiver.receive`` raises."""
    if passage.body is None:
        passage.body = Body()
        files = incoming if passage.line.files else None
        await receiver.receive(passage.request, _limit(passage), files, passage.body)


def _limit(passage: Passage) -> int | None:
    return bodies.SHORT if passage.line.need is Need.GUEST else None


def read(passage: Passage) -> Tree:
    """Return the tree of the body that was received; raise BadRequest, or MethodNotAllowed.

    The latter is for a body that turns out to mean another line.
    """
    if passage.tree is None and passage.body:
        tree = passage.body.tree()
        asking.check_line(passage.place, passage.line, passage.request, passage.ask.query, tree)
        return tree
    return passage.tree or {}


async def recover(passage: Passage, receiver: Receiver) -> None:
    """Find out what was entered in a form that was refused before all of it was read, but for its files."""
    if passage.tree is not None:
        _part(passage, {**passage.tree, **passage.slip})
        return
    if passage.body is None and bodies.media_type(passage.request) in (bodies.MULTIPART, bodies.FORM):
        passage.body = Body()
        with suppress(SkerryError):
            await receiver.receive(passage.request, _limit(passage), None, passage.body)
    form = passage.body and passage.body.form
    if form:
        with suppress(BadRequest):
            _part(passage, forms.tree_of(form.fields))


def _part(passage: Passage, tree: Tree) -> None:
    passage.slip = {name: tree.pop(name) for name in browser.FIELDS if name in tree}
    passage.tree = tree


def may_take_long(passage: Passage) -> bool:
    """Return whether nobody should wait while this is prepared: large texts, files, passwords."""
    line, length = passage.line, passage.request.content_length
    has_files = bodies.media_type(passage.request) == bodies.MULTIPART
    is_long = length is None or length > rendering.LARGE
    return bool(line.ahead or has_files or is_long)


def take(
    passage: Passage,
    incoming: Incoming,
    database: Database,
    account_id: int,
) -> None:
    """Take what was received along, its texts rendered; the files are in their place when the draft is good.

    Raise what ``read``, ``asking.with_draft`` and ``rendering.ahead`` raise, and Unavailable if the files
    cannot be kept; what was entered is known then, too.
    """
    line = passage.line
    uploads = passage.body.uploads if passage.body else []
    _part(passage, read(passage))
    ask = asking.with_draft(line, passage.ask, passage.tree or {}, files=bool(uploads))
    if passage.format is None:
        # What somebody writes on a page they say, be it what the ticket says already.
        ask = replace(ask, sent_back=False)
    if line.draft and line.in_project:
        ask.rendered = rendering.ahead(database, account_id, ask.draft, ask.ids["project_id"])
    # What is in no project belongs to a person, and people belong to no account.
    owner = account_id if line.in_project else avatars.SERVICE
    passage.ask = replace(ask, files=incoming.keep(owner, uploads))
