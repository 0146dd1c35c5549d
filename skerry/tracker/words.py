"""Texts that people write, made ready to be shown and linked."""

from skerry.store import changesets
from skerry.text import markdown
from skerry.tracker.visit import Visit


def render(visit: Visit, text: str) -> str:
    """Give the safe HTML of a text written in the project that was entered."""
    known = changesets.known(visit.transaction, visit.project_id, markdown.changeset_candidates(text))
    return markdown.render(text, visit.project_id, known.__contains__)
