"""Texts that people write, shown before they are kept."""

from skerry.resources.previews import Preview
from skerry.tracker import rendering
from skerry.tracker.visit import Ask, Visit


def shown(visit: Visit, ask: Ask) -> Preview:
    """Return a text rendered as in the project, without storing it."""
    body = ask.draft_of(Preview).new.body
    return Preview(body=body, body_html=rendering.render(visit, body))
