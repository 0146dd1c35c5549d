"""The tags of a project."""

from skerry.resources.projects import Tag
from skerry.store import tags as store
from skerry.tracker.context import Context, Params, ResultPage

MAX = 1000
"""The maximum number of tags in a list."""


def list_all(context: Context, _params: Params) -> ResultPage[Tag]:
    """Return up to 1,000 tags of the project, the most used first."""
    counts = store.counts(context.transaction, context.project_id, MAX)
    return ResultPage(Tag, [Tag(name=name, tickets_count=count) for name, count in counts])
