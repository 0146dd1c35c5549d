"""The maximum size of responses, and the shortening of records to fit.

First, fields that are available elsewhere or derived, such as the HTML of a text, are left empty; then the
longest texts are shortened. Both formats and the pages show the same.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from skerry.wire.record import Record, changed

MAX = 8 * 1024 * 1024
"""The maximum size of a response in bytes, before compression."""

SHORT = 6_000
"""The length of a text that is read without querying its length first."""

PAGE = 100
"""The maximum number of records on a page."""

SMALL = MAX // (PAGE + PAGE // 4)
"""The maximum cost of a record that is small enough for any page."""

SHARE = 4
"""Fields other than texts are omitted if they cost more than this fraction of a record's budget."""

MARK = "\n\n[... this text was shortened]"
"""The mark at the end of a shortened text; in ASCII, because other characters would need more memory."""

# How many bytes characters add in one of the formats: &quot; and &#39; on a page, \\n in JSON.
_MORE = ((5, b"&\"'\r"), (3, b"<>"), (1, b"\n\\"))

# The maximum size of a number or a time with its type; of a record without its texts; of a character.
_VALUE = 40
_BESIDE = 4_000
_DEAREST = 6

R = TypeVar("R", bound=Record)


def cost(text: str) -> int:
    """Return the maximum number of bytes of a text: in any format, or in memory."""
    return max(_written(text), sys.getsizeof(text))


def _written(text: str) -> int:
    data = text.encode(errors="replace")
    # Removing these characters and comparing the length is quicker than counting them.
    return len(data) + sum([more * (len(data) - len(data.translate(None, signs))) for more, signs in _MORE])


def level(costs: Iterable[int], room: int) -> int:
    """Return the limit for each cost so that all fit into the room; cheap ones are left unchanged."""
    dear_last = sorted(costs)
    for left, each in zip(range(len(dear_last), 0, -1), dear_last, strict=True):
        if each * left > room:
            return max(room, 0) // left
        room -= each
    return sys.maxsize


def is_shortened(text: str) -> bool:
    """Return whether a text ends like a shortened one, ignoring spaces."""
    return text.rstrip().endswith(MARK.strip())


def unmarked(text: str) -> str:
    """Return a text without the mark of a shortened one."""
    return text.removesuffix(MARK)


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text with the mark, at a cost of at most ``most``."""
    most = max(most - cost(MARK), 0)
    while (present := cost(text)) > most:
        text = text[: len(text) * most // present]
    return text + MARK


def weight(record: Record) -> int:
    """Return the cost of a record's texts, including those that may be omitted."""
    return sum(_parts(record))


def overhead(record: Record) -> int:
    """Return the cost of a record without its texts."""
    apart = {*record.texts, *record.omittable}
    values = msgspec.structs.asdict(record)
    return sum(2 * len(name) + _plain(value) for name, value in values.items() if name not in apart)


def _plain(value: Any) -> int:
    if isinstance(value, str):
        return _VALUE + _written(value)
    if isinstance(value, list) and value and isinstance(value[0], Record):
        return sum(overhead(each) + weight(each) for each in value)
    # Numbers, and values by name.
    return _VALUE + _written(str(value)) + _VALUE * len(value) if isinstance(value, (list, dict)) else _VALUE


def _parts(record: Record) -> list[int]:
    values = [getattr(record, name) for name in (*record.texts, *record.omittable)]
    return [_cost_of(value) for value in values]


def _cost_of(value: Any) -> int:
    if isinstance(value, str):
        return cost(value)
    # Pairs, each of them a list in JSON.
    return sum(10 + cost(code) + cost(path) for code, path in value) if isinstance(value, list) else 0


def at_most(records: Sequence[Record]) -> int:
    """Return an upper bound for the cost of records of one kind, without counting characters."""
    if not records:
        return 0
    values = chain.from_iterable(map(value_of, records) for value_of in _long_values(type(records[0])))
    return sum(map(len, filter(None, values))) * _DEAREST + len(records) * _BESIDE


@cache
def _long_values(kind: type[Record]) -> list[Callable[[Record], Any]]:
    tags = ("tag",) if hasattr(kind, "tag") else ()
    return [attrgetter(name) for name in (*kind.texts, *kind.omittable, *tags)]


def surely_fit(records: Sequence[Record], room: int) -> bool:
    """Return whether records with short texts, or that cost at most ``SMALL`` each, are certain to fit."""
    return len(records) * (2 * SHORT * _DEAREST + _BESIDE) <= room or at_most(records) <= room


def size_of(records: Sequence[Record]) -> int:
    """Return the size of records in a response; it is exact only if it is large."""
    most = at_most(records)
    return most if most <= MAX // 8 else sum(weight(record) + overhead(record) for record in records)


def fitted(records: Sequence[R], room: int = MAX) -> list[R]:
    """Return records with as much text as fits into the room; unchanged records are the same objects."""
    room -= sum(map(overhead, records))
    costs = list(map(weight, records))
    most = level(costs, room)
    return [
        record if each <= most else cut(record, most) for record, each in zip(records, costs, strict=True)
    ]


def whole_on_a_page(octets: int) -> int:
    """Return how many records fit completely if their texts have at most the given size in bytes."""
    return max(1, min(PAGE, MAX // (octets * _DEAREST + _BESIDE)))


def longest(records: Iterable[Record]) -> int:
    """Return the size of the longest text of some records in bytes."""
    texts = (getattr(record, name) for record in records for name in record.texts)
    return max((len(text.encode()) for text in texts if isinstance(text, str)), default=0)


def is_cut(record: Record) -> bool:
    """Return whether a record lacks any of its texts."""
    texts = [text for name in record.texts if isinstance(text := getattr(record, name), str)]
    return any(map(is_shortened, texts)) or (
        any(texts) and not all(getattr(record, name) for name in record.omittable[:1])
    )


def alone(record: R) -> R:
    """Return a record shortened to fit into a response of its own, or the same object if it fits."""
    return record if at_most([record]) <= MAX // 2 else fitted([record])[0]


def cut(record: R, most: int) -> R:
    """Return a record whose texts cost at most ``most``; derived lists stay if they cost little of that."""
    for name in record.omittable:
        value = getattr(record, name)
        if (_cost_of(value) > most // SHARE) if isinstance(value, list) else value and weight(record) > most:
            record = changed(record, **{name: type(value)()})
    texts = {name: value for name in record.texts if isinstance(value := getattr(record, name), str)}
    costs = {name: cost(text) for name, text in texts.items()}
    each = level(costs.values(), most - (weight(record) - sum(costs.values())))
    too_long = {name: shortened(text, each) for name, text in texts.items() if costs[name] > each}
    return changed(record, **too_long) if too_long else record
