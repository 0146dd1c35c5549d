"""Texts that people write, made ready to be shown and linked."""

from collections.abc import Mapping
from typing import Any

from skerry.store import changesets
from skerry.text import markdown
from skerry.tracker.visit import Visit
from skerry.wire.record import Record, fields_of


def ahead(kind: type[Record], draft: Mapping[str, Any], project_id: int) -> dict[tuple[int, str], str]:
    """Give the HTML of a draft's texts, made before anybody is kept waiting in a transaction.

    It is left out of a text that may name changesets: which there are is known only later.
    """
    names = {field.name for field in fields_of(kind)}
    texts = {text for name, text in draft.items() if f"{name}_html" in names}
    plain = [text for text in texts if not markdown.changeset_candidates(text)]
    return {(project_id, text): markdown.render(text, project_id) for text in plain}


def render(visit: Visit, text: str) -> str:
    """Give the safe HTML of a text written in the project that was entered."""
    made = visit.rendered.get((visit.project_id, text))
    if made is not None:
        return made
    known = changesets.known(visit.transaction, visit.project_id, markdown.changeset_candidates(text))
    return markdown.render(text, visit.project_id, known.__contains__)
