"""Paging: the requested page of a list, and the headers that describe it."""

from collections.abc import Mapping
from urllib.parse import urlencode

from skerry.errors import Invalid
from skerry.tracker.context import RequestedPage

MAX = 100

MAX_WHOLE = 1000
"""The maximum length of a list without pages."""

_FURTHEST = 10**9


def read(query: Mapping[str, str], *, whole: bool) -> RequestedPage:
    """Return the requested page; empty parameters count as absent.

    If none is requested, it is the first, or with ``whole`` one of up to ``MAX_WHOLE`` items. Raises Invalid
    for anything but positive integers.
    """
    if whole and not any(query.get(name) for name in ("page", "limit")):
        return RequestedPage(1, MAX_WHOLE)
    return RequestedPage(number=_positive(query, "page", 1), limit=min(_positive(query, "limit", 30), MAX))


def _positive(query: Mapping[str, str], name: str, default: int) -> int:
    text = (query.get(name) or str(default)).strip()
    digits = text.lstrip("0")
    if not (digits and text.isascii() and text.isdigit()):
        raise Invalid(
            "Page must be a positive whole number"
            if name == "page"
            else "Limit must be a positive whole number"
        )
    # Python refuses to parse thousands of digits.
    return _FURTHEST if len(digits) >= len(str(_FURTHEST)) else int(digits)


def headers(
    address: str, query: Mapping[str, str], page: RequestedPage, total: int, *, exact: bool
) -> dict[str, str]:
    """Return the headers that describe a page; ``address`` is the URL of the list without a query.

    If the total is not exact, the number of pages is unknown, and there is no link to the last one.
    """
    if page.limit > MAX:
        # The rest of a whole list has pages of the largest size.
        query = {**query, "limit": str(MAX)}
        return _whole_headers(address, query, page, total)
    last = page.last(total)
    places = {"first": 1, "last": last}
    if page.number > 1:
        places["prev"] = min(page.number - 1, last)
    if not exact:
        del places["last"]
    if page.number < last or not exact:
        places["next"] = page.number + 1
    start = _start(address, query, "page")
    links = [f'{start}{number}>; rel="{name}"' for name, number in places.items()]
    counted = {} if exact else {"X-Total-Count-Exact": "false"}
    return {"X-Total-Count": str(total), **counted, "Link": ", ".join(links)}


def _whole_headers(address: str, query: Mapping[str, str], page: RequestedPage, total: int) -> dict[str, str]:
    """Return the headers of a list without pages, with a link to the page after its end."""
    headers = {"X-Total-Count": str(total)}
    if total > page.limit:
        headers["Link"] = f'{_start(address, query, "page")}{page.limit // MAX + 1}>; rel="next"'
    return headers


def next_link(address: str, query: Mapping[str, str], after: str) -> str:
    """Return the header with a link to the items after a cursor."""
    return f'{_start(address, query, "after")}{after}>; rel="next"'


def _start(address: str, query: Mapping[str, str], parameter: str) -> str:
    """Return the beginning of a link to another part of a list, to be followed by the parameter's value."""
    kept = urlencode({name: value for name, value in query.items() if name not in (parameter, "_token")})
    return f"<{address}?{kept}&{parameter}=" if kept else f"<{address}?{parameter}="
