"""The page of a project's tags."""

from typing import Any

from skerry.tracker import tags
from skerry.tracker.visit import Ask, Visit


def listed(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give the tags of a project by use."""
    return {"tags": tags.listed(visit, ask).records, "most": tags.MOST}
