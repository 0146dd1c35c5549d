"""What comes in the body of a request: its draft, its files, and the slip of a form of ours."""

from contextlib import suppress
from dataclasses import replace

from skerry.config import Settings
from skerry.errors import Trouble, Unreadable
from skerry.store import avatars
from skerry.store.database import Database
from skerry.tracker import rendering
from skerry.tracker.access import Need
from skerry.web import asking, bodies
from skerry.web.incoming import Incoming
from skerry.web.passage import Passage
from skerry.web.site import browser
from skerry.wire import forms
from skerry.wire.tree import Tree
from skerry.wire.uploads import Upload


def read_early(passage: Passage, settings: Settings, recognize: bodies.Recognize) -> None:
    """Read a body without files before it is known who sends it, unless that was done.

    Raises as ``bodies.early_tree``, which says what ``recognize`` is for.
    """
    if passage.tree is None:
        passage.tree = bodies.early_tree(passage.request, _limit(passage, settings), recognize)


def read(passage: Passage, incoming: Incoming, settings: Settings) -> tuple[Tree, list[Upload]]:
    """Read the body, unless that was done, and give its tree and the files that came with it.

    Raises what ``bodies.read`` raises, and MethodNotAllowed if it turns out to mean another line.
    """
    if passage.tree is not None:
        return passage.tree, []
    open_file = incoming.open if passage.line.files else bodies.no_files
    passage.fields = []
    tree, uploads = bodies.read(passage.request, _limit(passage, settings), open_file, passage.fields)
    asking.check_line(passage.place, passage.line, passage.request, passage.ask.query, tree)
    return tree, uploads


def _limit(passage: Passage, settings: Settings) -> int:
    return bodies.SHORT if passage.line.need is Need.GUEST else settings.body_limit


def recover(passage: Passage, settings: Settings) -> None:
    """Find out what was entered in a form that was refused before all of it was read, but for its files."""
    if passage.tree is not None:
        _part(passage, {**passage.tree, **passage.slip})
        return
    if passage.fields is None:
        passage.fields = []
        if bodies.media_type(passage.request) != bodies.MULTIPART:
            return
        with suppress(Trouble):
            bodies.read(passage.request, _limit(passage, settings), bodies.no_files, passage.fields)
    with suppress(Unreadable):
        _part(passage, forms.tree_of(passage.fields))


def _part(passage: Passage, tree: Tree) -> None:
    passage.slip = {name: tree.pop(name) for name in browser.FIELDS if name in tree}
    passage.tree = tree


def is_small(passage: Passage) -> bool:
    """Say whether a body says that it is short, so that to read and to prepare it takes no time."""
    length = passage.request.content_length
    return length is not None and length <= rendering.LARGE


def may_take_long(passage: Passage, uploads: list[Upload]) -> bool:
    """Say whether nobody should wait while this is prepared: large texts, files that are brought away."""
    line = passage.line
    return bool(line.shows or line.tries or line.ahead or uploads) or not is_small(passage)


def take(
    passage: Passage,
    incoming: Incoming,
    database: Database,
    account_id: int,
    tree: Tree,
    uploads: list[Upload],
) -> None:
    """Take what was read along, its texts rendered; the files are in their place when the draft is good.

    Raises what ``asking.with_draft`` and ``rendering.ahead`` raise, and Unavailable if the files cannot be
    kept; what was entered is known then, too.
    """
    line = passage.line
    _part(passage, tree)
    ask = asking.with_draft(line, passage.ask, tree, files=bool(uploads))
    if passage.format is None:
        # What somebody writes on a page they say, be it what the ticket says already.
        ask = replace(ask, sent_back=False)
    if line.draft and line.in_project:
        ask.rendered = rendering.ahead(database, account_id, ask.draft, ask.ids["project_id"])
    # What is in no project belongs to a person, and people belong to no account.
    owner = account_id if line.in_project else avatars.SERVICE
    passage.ask = replace(ask, files=incoming.keep(owner, uploads))
