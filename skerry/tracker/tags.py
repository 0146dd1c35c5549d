"""The tags of a project, by their use."""

from skerry.resources.tags import Tag
from skerry.store import tags as store
from skerry.tracker.context import Context, Params, ResultPage

MOST = 1000
"""Tags given at once."""


def list_all(context: Context, _params: Params) -> ResultPage[Tag]:
    """Abort to 1,000 tags of the project, those on the most tickets first."""
    return ResultPage(Tag, foremost(context, MOST))


def foremost(context: Context, most: int) -> list[Tag]:
    """Return so many tags of the project that was entered, those on the most tickets first."""
    found = store.counts(context.transaction, context.project_id, most)
    return [Tag(name=name, tickets_count=count) for name, count in found]
