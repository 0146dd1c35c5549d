"""Much at once, cut into pieces that a statement or a storage takes."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Split the items into lists of a size; the last may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
