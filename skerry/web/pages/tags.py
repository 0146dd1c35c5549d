"""The page of a project's tags."""

from skerry.tracker import tags
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content


def listed(visit: Visit, ask: Ask) -> Content:
    """Return the tags of a project by use."""
    return {"tags": tags.listed(visit, ask).records, "most": tags.MOST}
