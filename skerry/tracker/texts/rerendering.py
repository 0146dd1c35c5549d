"""Rerendering of all stored texts with the current version."""

from collections.abc import Iterator
from contextlib import suppress

from skerry.database.database import Database
from skerry.errors import SerializationFailure
from skerry.store import accounts
from skerry.store import rendered_texts as texts
from skerry.store.rendered_texts import StoredText, TextKind
from skerry.text import actions, markdown, mentions, project_words
from skerry.tracker.context import KnownReferences
from skerry.tracker.texts import rendering

AT_ONCE = 20
"""How many texts are read, and at most changed, per transaction; each may have a mebibyte."""

_TRIES = 5


def rerender(database: Database) -> Iterator[tuple[int, int]]:
    """Rerender every text of every account; yield the numbers of texts read and replaced so far.

    Others may read and write meanwhile; a text that is changed meanwhile is skipped. It may be interrupted at
    any time and started again. No version is created and no timestamp changes.
    """
    with database.read() as transaction:
        all_accounts = accounts.list_all(transaction)
    for account in all_accounts:
        for kind in texts.KINDS:
            yield from _of_kind(database, account.id, kind)


def _of_kind(database: Database, account_id: int, kind: TextKind) -> Iterator[tuple[int, int]]:
    key = kind.first
    while True:
        with database.read(account_id) as transaction:
            some = kind.after(transaction, key, limit=AT_ONCE)
            known = [rendering.known(transaction, text.project_id, text.text) for text in some]
        if not some:
            return
        made = [(text, _html(text, names)) for text, names in zip(some, known, strict=True)]
        changed = [(text, html) for text, html in made if html != text.html]
        yield len(some), _replace(database, account_id, kind, changed) if changed else 0
        key = some[-1].key


def _html(text: StoredText, known: KnownReferences) -> str:
    # Only people mentioned when the text was written are mentioned.
    linked = mentions.linked(text.html)
    known = known._replace(
        people=frozenset(each for each in known.people if each[1] in linked),
        # The same for other projects: their words may have another meaning now.
        projects=frozenset(project_words.linked(text.html).items()),
    )
    own, note = actions.without_note(text.text)
    # An edit drops the note, so what looks like a note then is the author's own text.
    if note and text.html.endswith(markdown.noted("", note)):
        return markdown.noted(rendering.html_of(text.project_id, own, known), note)
    return rendering.html_of(text.project_id, text.text, known)


def _replace(
    database: Database, account_id: int, kind: TextKind, changed: list[tuple[StoredText, str]]
) -> int:
    for _ in range(_TRIES - 1):
        with suppress(SerializationFailure):
            return _replaced(database, account_id, kind, changed)
    return _replaced(database, account_id, kind, changed)


def _replaced(
    database: Database, account_id: int, kind: TextKind, changed: list[tuple[StoredText, str]]
) -> int:
    with database.write(account_id) as transaction:
        return sum(kind.replace(transaction, text, html) for text, html in changed)
