"""The page of a project's tags."""

from skerry.tracker import tags
from skerry.tracker.context import Context, Params
from skerry.web.site.pages.content import Content


def list_all(context: Context, params: Params) -> Content:
    """Return the tags of a project, the most used first."""
    return {"tags": tags.list_all(context, params).records, "most": tags.MAX}
