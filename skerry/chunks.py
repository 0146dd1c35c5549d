"""Splitting of long lists into chunks that a statement or a storage accepts."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of a size; the last may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
