"""Previews of texts."""

from skerry.resources.previews import Preview
from skerry.tracker.context import Context, Params
from skerry.tracker.texts import rendering


def get(context: Context, params: Params) -> Preview:
    """Return a text rendered as in the project, without storing it."""
    body = params.draft_of(Preview).new.body
    return Preview(body=body, body_html=rendering.render(context, body))
