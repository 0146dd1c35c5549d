"""The page that explains the query language and the commands."""

from skerry.text.commands import COMMANDS
from skerry.text.queries.query import KEYS, SORTS
from skerry.tracker.context import Context, Params
from skerry.web.site.pages.content import Content


def get(_context: Context, _params: Params) -> Content:
    """Return the keywords and commands of the query language."""
    orders = sorted(set(SORTS.values()))
    return {"keys": KEYS.values(), "orders": orders, "commands": COMMANDS.values()}
