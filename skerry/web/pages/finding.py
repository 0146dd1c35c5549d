"""Lists in the order of names, of which one page is shown, and in which something is found by name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from skerry.tracker.visit import Ask, Listing, Page, Visit

LONGEST = 200
"""Characters of what is looked for that count; the fields take no more."""

# What in an address says what is looked for in its lists.
_SOUGHT = ("q", "whom")


@dataclass(frozen=True)
class Lines:
    """A page of a list: where the list stands, what was sought in it, and what shows this page again."""

    listing: Listing
    page: Page
    address: str
    sought: str
    kept: str

    @property
    def pages_at(self) -> str:
        """Give the address to which the number of a page is added."""
        return f"{self.address}?{urlencode({'q': self.sought})}&" if self.sought else f"{self.address}?"

    @property
    def here(self) -> str:
        """Give the address of this page."""
        return self.address + self.kept

    @property
    def saved(self) -> str:
        """Give the address of this page that says that a form was taken."""
        return f"{self.here}&saved" if self.kept else f"{self.address}?saved"

    @property
    def can_be_searched(self) -> bool:
        """Say whether there is more than fits on a page, or was before something was sought."""
        return bool(self.sought) or (self.listing.total or 0) > self.page.limit


def lines(
    visit: Visit, ask: Ask, address: str, work: Callable[[Visit, Ask], Listing], on_a_page: int
) -> Lines:
    """Give the page of a list that is asked for, of so many lines."""
    page = Page(ask.page.number, on_a_page)
    place = {name: sought(ask, name) for name in _SOUGHT if ask.query.get(name)}
    listing = work(visit, replace(ask, page=page, query={**ask.query, **place}))
    shown = place | ({"page": str(page.number)} if "page" in ask.query else {})
    return Lines(listing, page, address, sought(ask, "q"), f"?{urlencode(shown)}" if shown else "")


def sought(ask: Ask, name: str) -> str:
    """Give what is looked for under a name, nothing if nothing is."""
    return ask.query.get(name, "")[:LONGEST]
