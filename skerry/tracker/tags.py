"""The tags of a project."""

from skerry.resources.tags import Tag
from skerry.store import tags as store
from skerry.tracker.context import Context, Params, ResultPage

MOST = 1000
"""Tags given at once."""


def list_all(context: Context, _params: Params) -> ResultPage[Tag]:
    """Return up to 1,000 tags of the project, the most used first."""
    return ResultPage(Tag, foremost(context, MOST))


def foremost(context: Context, most: int) -> list[Tag]:
    """Return so many tags of the current project, the most used first."""
    found = store.counts(context.transaction, context.project_id, most)
    return [Tag(name=name, tickets_count=count) for name, count in found]
