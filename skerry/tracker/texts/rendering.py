"""Rendering of texts to HTML, for large ones before any lock is taken."""

from collections.abc import Mapping

from skerry.store import changesets
from skerry.store.engine.database import Database
from skerry.text import markdown
from skerry.tracker.context import Context, Rendered
from skerry.wire.record import UnsetType

LARGE = 4096
"""A text with more characters may take long to render."""

TEXTS = ("body", "description", "goals")
"""The fields in which people write Markdown; its HTML is in a field of that name with ``_html`` behind it."""


def ahead(database: Database, account_id: int, draft: Mapping[str, object], project_id: int) -> Rendered:
    """Return the HTML of a draft's texts, rendered before the transaction of the change.

    Raise Unavailable if the database does not answer.
    """
    found: Rendered = {}
    for text in {str(draft[name]) for name in TEXTS if name in draft}:
        known = _known(database, account_id, project_id, text)
        found |= rendered(project_id, text, known)
    return found


def known_by_then(context: Context, text: str, revision: str) -> frozenset[str]:
    """Return the changesets that a text names, as if the project already had a revision."""
    named = markdown.changeset_candidates(text)
    return frozenset(changesets.known(context.transaction, context.project_id, named)) | named & {revision}


def _known(database: Database, account_id: int, project_id: int, text: str) -> frozenset[str]:
    """Return the changesets that a text names; they may change before it is stored."""
    named = markdown.changeset_candidates(text)
    if not named:
        return named
    with database.read(account_id) as transaction:
        return frozenset(changesets.known(transaction, project_id, named))


def rendered(project_id: int, text: str, known: frozenset[str]) -> Rendered:
    """Return the HTML of a text that names these changesets."""
    return {(project_id, text, known): markdown.render(text, project_id, known.__contains__)}


def render(context: Context, text: str) -> str:
    """Return the safe HTML of a text in the current project."""
    named = markdown.changeset_candidates(text)
    known = frozenset(changesets.known(context.transaction, context.project_id, named))
    made = context.rendered.get((context.project_id, text, known))
    return markdown.render(text, context.project_id, known.__contains__) if made is None else made


def render_sent(context: Context, text: str | UnsetType, html: str | None) -> str:
    """Return the HTML of a text in a draft; if none was sent, the stored HTML.

    The stored text was not rendered ahead, and may be large.
    """
    return html or "" if isinstance(text, UnsetType) else render(context, text)


def noted(text: str, html: str, note: str) -> tuple[str, str]:
    """Return a text and its HTML, both followed by a note, if there is one."""
    return (f"{text}\n\n{note}", markdown.noted(html, note)) if note else (text, html)
