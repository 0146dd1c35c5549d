"""The page that tells how to search and command."""

from skerry.text.commands import COMMANDS
from skerry.text.query import KEYS, SORTS
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content


def told(_visit: Visit, _ask: Ask) -> Content:
    """Return the keywords and commands of the query language."""
    orders = sorted(set(SORTS.values()))
    return {"keys": KEYS.values(), "orders": orders, "commands": COMMANDS.values()}
