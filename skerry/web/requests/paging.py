"""Pages of lists: which one is asked for, and where it stands."""

from collections.abc import Mapping
from urllib.parse import urlencode

from skerry.errors import Invalid
from skerry.tracker.context import Page

MOST = 100
_FURTHEST = 10**9


def read(query: Mapping[str, str]) -> Page:
    """Return the page that a query string asks for; what is empty counts as absent.

    Raise Invalid for what is no positive whole number.
    """
    return Page(number=_positive(query, "page", 1), limit=min(_positive(query, "limit", 30), MOST))


def _positive(query: Mapping[str, str], name: str, default: int) -> int:
    text = (query.get(name) or str(default)).strip()
    digits = text.lstrip("0")
    if not (digits and text.isascii() and text.isdigit()):
        raise Invalid(
            "Page must be a positive whole number"
            if name == "page"
            else "Limit must be a positive whole number"
        )
    # Python reads no number of thousands of digits.
    return _FURTHEST if len(digits) >= len(str(_FURTHEST)) else int(digits)


def headers(address: str, query: Mapping[str, str], page: Page, total: int, *, exact: bool) -> dict[str, str]:
    """Return the headers that say where a page stands; ``address`` is the list's own, without a query.

    Where the total is not exact there are more pages than are known of, and no last one is named.
    """
    last = page.last(total)
    places = {"first": 1, "last": last}
    if page.number > 1:
        places["prev"] = min(page.number - 1, last)
    if not exact:
        del places["last"]
    if page.number < last or not exact:
        places["next"] = page.number + 1
    kept = urlencode({name: value for name, value in query.items() if name not in ("page", "_token")})
    start = f"<{address}?{kept}&page=" if kept else f"<{address}?page="
    links = [f'{start}{number}>; rel="{name}"' for name, number in places.items()]
    counted = {} if exact else {"X-Total-Count-Exact": "false"}
    return {"X-Total-Count": str(total), **counted, "Link": ", ".join(links)}
