"""The texts that tickets had at first: those before edits, which an archive keeps beside the present one."""

from collections.abc import Callable
from typing import Any, NamedTuple

from skerry.store.earlier_texts import MAX
from skerry.transfer.sources.records import Ticket
from skerry.transfer.sources.report import Report

Tree = dict[str, Any]


class Edited(NamedTuple):
    """What the first version and its details say about the edits of its text, and the earlier texts."""

    version: Tree
    details: Tree
    texts: list[Tree]


def of(
    ticket: Ticket, person: Callable[[str], int | None], rewritten: Callable[[str], str], report: Report
) -> Edited:
    """Return the edits of a ticket's first text; each text is of whoever wrote it then, at that moment."""
    edits = sorted(
        (each for each in ticket.changes if each.text_before is not None), key=lambda each: each.at
    )
    if not edits:
        return Edited({}, {}, [])
    written = [(ticket.author, ticket.created_at), *((each.author, each.at) for each in edits)]
    texts = [
        {
            "version": 1,
            "id": number,
            "body": rewritten(edit.text_before),
            "user_id": person(author),
            "created_at": at,
        }
        for number, (edit, (author, at)) in enumerate(zip(edits, written, strict=False), 1)
        if edit.text_before
    ]
    report.keep("{n} earlier {text|texts} of descriptions", len(texts[-MAX:]))
    report.lose(
        f"{{n}} earlier {{text|texts}} of descriptions before the last {MAX}", ticket.key, len(texts[:-MAX])
    )
    author, at = written[-1]
    details = {"body_edited_at": at, "body_edits": len(edits)}
    return Edited({"body_edited_by": person(author)}, details, texts[-MAX:])
