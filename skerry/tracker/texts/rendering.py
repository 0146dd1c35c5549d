"""Rendering of texts to HTML; large texts are rendered before any lock is taken."""

from collections.abc import Mapping

from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.resources.texts import Preview
from skerry.store import changesets, projects
from skerry.store import mentions as mention_store
from skerry.store.projects import Visibility
from skerry.text import markdown, mentions, project_words
from skerry.tracker import access
from skerry.tracker.context import Context, KnownReferences, Params, Principal, Rendered
from skerry.tracker.mentions import is_outside
from skerry.wire.record import UnsetType

LARGE = 4096
"""A text with more characters may take long to render."""

TEXTS = ("body", "description", "goals")
"""The fields that contain Markdown; the HTML of each is in the field with the suffix ``_html``."""


def render_draft(
    database: Database,
    account_id: int,
    draft: Mapping[str, object],
    project_id: int,
    principal: Principal | None = None,
) -> Rendered:
    """Return the HTML of a draft's texts, rendered before the transaction of the change.

    Raises Unavailable if the database does not respond.
    """
    texts: Rendered = {}
    for text in {str(draft[name]) for name in TEXTS if name in draft}:
        if (
            markdown.changeset_candidates(text)
            or markdown.project_candidates(text)
            or mentions.candidates(text)
        ):
            # What it names may change before the text is stored.
            with database.read(account_id) as transaction:
                names = known(transaction, project_id, text, visibility=access.visibility(principal))
        else:
            names = KnownReferences()
        texts |= rendered(project_id, text, names)
    return texts


def ahead(context: Context, draft: Mapping[str, object]) -> Rendered:
    """Return the HTML of a draft's short texts, rendered before the transaction that stores them."""
    found: Rendered = {}
    for text in {str(draft[name]) for name in TEXTS if name in draft}:
        found |= rendered(context.project_id, text, known_here(context, text))
    return found


def known_by_then(context: Context, text: str, revision: str) -> KnownReferences:
    """Return what a text names, as if the project had a changeset with the revision already."""
    references = known_here(context, text)
    named = markdown.changeset_candidates(text) & {revision}
    return references._replace(changesets=references.changesets | named)


def known_here(context: Context, text: str, before: str = "") -> KnownReferences:
    """Return what a text of the caller names in the current project.

    Projects to whose tickets the HTML ``before`` links keep their words.
    """
    sees = access.visibility(context.principal)
    references = known(
        context.transaction, context.project_id, text, members=is_outside(context), visibility=sees
    )
    words = markdown.project_candidates(text) if before else ()
    kept = {word: project for word, project in project_words.linked(before).items() if word in words}
    return (
        references._replace(projects=frozenset({**dict(references.projects), **kept}.items()))
        if kept
        else references
    )


def known(
    transaction: Transaction,
    project_id: int,
    text: str,
    *,
    members: bool = False,
    visibility: Visibility | None = None,
) -> KnownReferences:
    """Return what a text names in a project.

    People are those who can see it, or only its ``members``; projects are those of the author's
    ``visibility``, so that a link tells nobody of a project that the author cannot see.
    """
    references = _known_in_project(transaction, project_id, text, members=members)
    words = markdown.project_candidates(text) if visibility else ()
    if not words or visibility is None:
        return references
    known_projects = project_words.resolved(words, projects.visible_names(transaction, visibility))
    return references._replace(projects=frozenset(known_projects.items()))


def _known_in_project(
    transaction: Transaction, project_id: int, text: str, *, members: bool
) -> KnownReferences:
    revisions = changesets.known(transaction, project_id, markdown.changeset_candidates(text))
    wanted = mentions.candidates(text)
    if not wanted:
        return KnownReferences(frozenset(revisions))
    keys = mentions.keys(mention_store.names(transaction, project_id, members=members))
    return KnownReferences(frozenset(revisions), frozenset((key, keys[key]) for key in wanted & keys.keys()))


def rendered(project_id: int, text: str, known: KnownReferences) -> Rendered:
    """Return the HTML of a text that names these changesets and people."""
    return {(project_id, text, known): html_of(project_id, text, known)}


def html_of(project_id: int, text: str, known: KnownReferences) -> str:
    """Return the safe HTML of a text in a project, given what it names."""
    return markdown.render(
        text, project_id, known.changesets.__contains__, dict(known.people), dict(known.projects)
    )


def render(context: Context, text: str, before: str = "") -> str:
    """Return the safe HTML of a text in the current project, which replaces one with the HTML ``before``."""
    known = known_here(context, text, before)
    made = context.rendered.get((context.project_id, text, known))
    return html_of(context.project_id, text, known) if made is None else made


def render_sent(context: Context, text: str | UnsetType, html: str | None) -> str:
    """Return the HTML of a text in a draft, or the stored HTML if no text was sent.

    The stored text was not rendered beforehand, and may be large.
    """
    return html or "" if isinstance(text, UnsetType) else render(context, text, html or "")


def noted(text: str, html: str, note: str) -> tuple[str, str]:
    """Return a text and its HTML, with a note appended to both, if there is one."""
    return (f"{text}\n\n{note}", markdown.noted(html, note)) if note else (text, html)


def preview(context: Context, params: Params) -> Preview:
    """Return a text rendered as in the project, without storing it."""
    body = params.draft_of(Preview).new.body
    return Preview(body=body, body_html=render(context, body))
