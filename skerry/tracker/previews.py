"""Texts that people write, shown before they are kept."""

from skerry.resources.previews import Preview
from skerry.tracker import rendering
from skerry.tracker.visit import Ask, Visit


def shown(visit: Visit, ask: Ask) -> Preview:
    """Give a text as it would be shown in the project, and keep nothing."""
    body = ask.draft_of(Preview).new.body
    return Preview(body=body, body_html=rendering.render(visit, body))
