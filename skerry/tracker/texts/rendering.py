"""Rendering of texts to HTML; large texts are rendered before any lock is taken."""

from collections.abc import Mapping

from skerry.store import changesets
from skerry.store.engine.database import Database
from skerry.store.engine.transactions import Transaction
from skerry.store.notifications import mentions as mention_store
from skerry.text import markdown, mentions
from skerry.tracker.context import Context, Known, Rendered
from skerry.tracker.texts.mentions import is_outside
from skerry.wire.record import UnsetType

LARGE = 4096
"""A text with more characters may take long to render."""

TEXTS = ("body", "description", "goals")
"""The fields that contain Markdown; the HTML of each is in the field with the suffix ``_html``."""


def render_draft(
    database: Database, account_id: int, draft: Mapping[str, object], project_id: int
) -> Rendered:
    """Return the HTML of a draft's texts, rendered before the transaction of the change.

    Raises Unavailable if the database does not respond.
    """
    found: Rendered = {}
    for text in {str(draft[name]) for name in TEXTS if name in draft}:
        found |= rendered(project_id, text, _known_ahead(database, account_id, project_id, text))
    return found


def _known_ahead(database: Database, account_id: int, project_id: int, text: str) -> Known:
    """Return what a text names; this may change before the text is stored."""
    if not markdown.changeset_candidates(text) and not mentions.candidates(text):
        return Known()
    with database.read(account_id) as transaction:
        return known(transaction, project_id, text)


def known_by_then(context: Context, text: str, revision: str) -> Known:
    """Return what a text names, as if the project had a changeset with the revision already."""
    found = known_here(context, text)
    named = markdown.changeset_candidates(text) & {revision}
    return found._replace(changesets=found.changesets | named)


def known_here(context: Context, text: str) -> Known:
    """Return what a text of the caller names in the current project."""
    return known(context.transaction, context.project_id, text, members=is_outside(context))


def known(transaction: Transaction, project_id: int, text: str, *, members: bool = False) -> Known:
    """Return what a text names in a project; people are those who can see it, or only its ``members``."""
    found = changesets.known(transaction, project_id, markdown.changeset_candidates(text))
    wanted = mentions.candidates(text)
    if not wanted:
        return Known(frozenset(found))
    keys = mentions.keys(mention_store.names(transaction, project_id, members=members))
    return Known(frozenset(found), frozenset((key, keys[key]) for key in wanted & keys.keys()))


def rendered(project_id: int, text: str, known: Known) -> Rendered:
    """Return the HTML of a text that names these changesets and people."""
    return {(project_id, text, known): html_of(project_id, text, known)}


def html_of(project_id: int, text: str, known: Known) -> str:
    """Return the safe HTML of a text in a project, given what it names."""
    return markdown.render(text, project_id, known.changesets.__contains__, dict(known.people))


def render(context: Context, text: str) -> str:
    """Return the safe HTML of a text in the current project."""
    known = known_here(context, text)
    made = context.rendered.get((context.project_id, text, known))
    return html_of(context.project_id, text, known) if made is None else made


def render_sent(context: Context, text: str | UnsetType, html: str | None) -> str:
    """Return the HTML of a text in a draft, or the stored HTML if no text was sent.

    The stored text was not rendered beforehand, and may be large.
    """
    return html or "" if isinstance(text, UnsetType) else render(context, text)


def noted(text: str, html: str, note: str) -> tuple[str, str]:
    """Return a text and its HTML, with a note appended to both, if there is one."""
    return (f"{text}\n\n{note}", markdown.noted(html, note)) if note else (text, html)
