"""Full text on PostgreSQL: a tsvector without positions under a GIN index, and the words as texts.

``search_documents`` has a row for each ticket. ``words`` contains every word once with the account as its
prefix, so that a word that is common in another account costs nothing here, and those of the title twice.
Positions would end at 16,383 and be limited to 256 for a word. So the vector does not say which words are
consecutive, or which are in the body; these are looked up in the texts: words separated by blanks, and a line
end after each text.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import text

from skerry.database.statements import Statement
from skerry.database.transactions import Transaction
from skerry.store.search.documents import Document
from skerry.store.search.sql import ANYTHING, NOTHING, Sql, either, every, filled, in_scope, together
from skerry.store.search.tree import Group, Leaf, Node, Run, needs_a_word
from skerry.text import words

_OF_TICKET = """FROM search_documents d
    WHERE d.account_id = {} AND d.project_id = t.project_id AND d.number = t.number"""

_KEEP = Statement(
    text("""
        INSERT INTO search_documents (account_id, project_id, number, words, title, body, comments, room)
        VALUES (:account_id, :project_id, :number, array_to_tsvector(string_to_array(:words, ' ')),
            :title, :body, :comments, :room)
        ON CONFLICT (account_id, project_id, number) DO UPDATE SET
            words = excluded.words, title = excluded.title, body = excluded.body,
            comments = excluded.comments, room = excluded.room
    """)
)

_ROOM = Statement(
    text("""
        SELECT room FROM search_documents
        WHERE account_id = :account_id AND project_id = :project_id AND number = :number
    """)
)

_ADD = Statement(
    text("""
        UPDATE search_documents SET
            words = words || array_to_tsvector(string_to_array(:words, ' ')),
            comments = CASE WHEN comments = '' OR :comment = '' THEN comments || :comment
                ELSE comments || chr(10) || :comment END,
            room = :room
        WHERE account_id = :account_id AND project_id = :project_id AND number = :number
    """)
)


class FullText:
    """Full-text search in some projects of one account."""

    def __init__(self, transaction: Transaction, project_ids: Sequence[int]) -> None:
        self._transaction, self.account_id = transaction, transaction.account_id
        self._account = Sql("?", (self.account_id,))
        self._here = every(in_scope(self.account_id, project_ids, "d."))

    def row(self, node: Node) -> Sql:
        """Return the condition on one ticket."""
        return filled(f"coalesce((SELECT {{}} {_OF_TICKET}), FALSE)", self._exactly(node), self._account)

    @staticmethod
    def can_list(node: Node) -> bool:
        """Return whether the index can list the tickets that match: not those without a certain word."""
        return needs_a_word(node)

    def hits(self, node: Node) -> Sql:
        """Return the tickets that match, all of which have one of its words."""
        condition = self._exactly(node)
        if not _in_vector(node):
            condition = every([self._implied(node), condition])
        return filled(
            "SELECT d.project_id, d.number FROM search_documents d WHERE {} AND ({})", self._here, condition
        )

    def places(self, node: Node) -> Sql:
        """Return a row for each ticket that matches, for counting only."""
        return self.hits(node)

    def title(self) -> Sql:
        """Return the words of a ticket's title as one text."""
        return filled(f"(SELECT d.title {_OF_TICKET})", self._account)

    @staticmethod
    def exact(column: str) -> str:
        """Return a column that is ordered by code points."""
        return f'{column} COLLATE "C"'

    def keep(self, documents: Iterable[Document]) -> None:
        """Replace the words of some tickets."""
        self._transaction.run_many(_KEEP, [_row(self.account_id, document) for document in documents])

    def add(self, key: tuple[int, int], comment: str) -> bool:
        """Add the words of a comment to a ticket.

        Returns whether that was possible, which requires that the remaining room is known.
        """
        if not comment:
            return True
        project_id, number = key
        before = self._transaction.value(_ROOM, project_id=project_id, number=number)
        if before is None:
            return False
        (more,), room = words.kept([comment], before)
        if room < before:
            self._transaction.run(
                _ADD,
                project_id=project_id,
                number=number,
                words=" ".join(f"{self.account_id}:{word}" for word in set(more)),
                comment=_spaced([more] if more else []),
                room=room,
            )
        return True

    append = keep

    def _exactly(self, node: Node) -> Sql:
        """Return the condition on a document."""
        if _in_vector(node):
            return self._implied(node)
        if isinstance(node, Group):
            return together(node, self._exactly)
        condition = every([self._implied(Leaf(node.run)), _in_texts(node.run)])
        return condition if node.wanted else condition.negated

    def _implied(self, node: Node) -> Sql:
        """Return what the vector can check: the condition itself, or one that it implies."""
        query = _says(node, str(self.account_id))
        return ANYTHING if query is None else Sql("d.words @@ CAST(? AS tsquery)", (query,))


def _in_vector(node: Node) -> bool:
    """Return whether the vector alone can check it."""
    if isinstance(node, Group):
        return all(map(_in_vector, node.parts))
    run = node.run
    return len(run.words) < 2 and run.text != "body"  # noqa: PLR2004 - a single word has no order


def _says(node: Node, account: str) -> str | None:
    """Return the part that the vector can check, as a tsquery, or None if there is none."""
    if isinstance(node, Group):
        parts = [_says(part, account) for part in node.parts]
        known = [f"({part})" for part in parts if part is not None]
        if not known or (len(known) < len(parts) and not node.every):
            return None
        return (" & " if node.every else " | ").join(known)
    if node.wanted:
        return _words(node.run, account)
    return f"!({_words(node.run, account)})" if _in_vector(node) else None


def _words(run: Run, account: str) -> str:
    sign = "/" if run.text == "title" else ":"
    words = [f"'{account}{sign}{word}'" for word in run.words or ["__"]]
    return " & ".join(words) + ":*" * (run.prefix and bool(run.words))


def _in_texts(run: Run) -> Sql:
    """Return the condition that the words are consecutive in one of the texts."""
    if not run.words:
        return NOTHING
    pattern = f"% {' '.join(run.words)}{'' if run.prefix else ' '}%"
    columns = [run.text] if run.text else ["title", "body", "comments"]
    return either(Sql(f"d.{column} LIKE ?", (pattern,)) for column in columns)


def _row(account_id: int, document: Document) -> dict[str, Any]:
    everywhere = {*document.title, *document.body}.union(*document.comments)
    return {
        "project_id": document.project_id,
        "number": document.number,
        # Words have no blanks; an array would be quoted word by word.
        "words": " ".join(
            [
                *[f"{account_id}:{word}" for word in everywhere],
                *[f"{account_id}/{word}" for word in set(document.title)],
            ]
        ),
        "title": _spaced([document.title]),
        "body": _spaced([document.body]),
        "comments": _spaced(document.comments),
        "room": document.room,
    }


def _spaced(texts: list[list[str]]) -> str:
    return "\n".join(f" {' '.join(words)} " for words in texts)
