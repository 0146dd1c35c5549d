"""How large an answer may be, and how records are shortened until they fit into one.

First what can be had elsewhere or made again is left empty, such as the HTML of a text; then the longest
texts are shortened. The shorter ones stay whole. Both formats and the pages of the site show the same.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from skerry.wire.record import Record, changed

MOST = 8 * 1024 * 1024
"""The bytes of an answer, before it is compressed."""

SHORT = 6_000
"""The characters of a text that is read without a look at how long it is."""

PAGE = 100
"""The records of a page at most."""

SMALL = MOST // (PAGE + PAGE // 4)
"""What each of so many records may cost."""

SHARE = 4
"""What is no text is left out where it costs more than one in so many parts of what there is for a record."""

MARK = "\n\n[... this text was shortened]"
"""What stands at the end of a text that was shortened; in ASCII, as other signs make all of a text larger."""

# How much longer signs become in one of the formats: &quot; and &#39; on a page, \\n in JSON.
_MORE = ((5, b"&\"'\r"), (3, b"<>"), (1, b"\n\\"))

# A number or a moment with its kind; what a record has beside its texts at most; what a character is at most.
_VALUE = 40
_BESIDE = 4_000
_DEAREST = 6

R = TypeVar("R", bound=Record)


def cost(text: str) -> int:
    """Return how many bytes a text takes at most: written in any format, or in memory."""
    return max(_written(text), sys.getsizeof(text))


def _written(text: str) -> int:
    data = text.encode(errors="replace")
    # Without these signs it is shorter by as many as there are: that is quicker than to count them.
    return len(data) + sum([more * (len(data) - len(data.translate(None, signs))) for more, signs in _MORE])


def level(costs: Iterable[int], room: int) -> int:
    """Return what each may cost at most so that all together fit the room, the cheap ones as they are."""
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
    """Return a text without the mark of one that was shortened."""
    return text.removesuffix(MARK)


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text, which costs at most so much with the mark behind it."""
    most = max(most - cost(MARK), 0)
    while (present := cost(text)) > most:
        text = text[: len(text) * most // present]
    return text + MARK


def weight(record: Record) -> int:
    """Return what the texts of a record cost, with those that may be left empty."""
    return sum(_parts(record))


def beside(record: Record) -> int:
    """Return what a record costs beside its texts."""
    apart = {*record.texts, *record.left_empty}
    values = msgspec.structs.asdict(record)
    return sum(2 * len(name) + _plain(value) for name, value in values.items() if name not in apart)


def _plain(value: Any) -> int:
    if isinstance(value, str):
        return _VALUE + _written(value)
    if isinstance(value, list) and value and isinstance(value[0], Record):
        return sum(beside(each) + weight(each) for each in value)
    # Numbers, and values by name.
    return _VALUE + _written(str(value)) + _VALUE * len(value) if isinstance(value, (list, dict)) else _VALUE


def _parts(record: Record) -> list[int]:
    values = [getattr(record, name) for name in (*record.texts, *record.left_empty)]
    return [_cost_of(value) for value in values]


def _cost_of(value: Any) -> int:
    if isinstance(value, str):
        return cost(value)
    # Pairs, each of them a list in JSON.
    return sum(10 + cost(code) + cost(path) for code, path in value) if isinstance(value, list) else 0


def at_most(records: Sequence[Record]) -> int:
    """Return what records of one kind cost at most, as is seen without counting the signs of their texts."""
    if not records:
        return 0
    values = chain.from_iterable(map(value_of, records) for value_of in _long_values(type(records[0])))
    return sum(map(len, filter(None, values))) * _DEAREST + min(len(records), PAGE) * _BESIDE


@cache
def _long_values(kind: type[Record]) -> list[Callable[[Record], Any]]:
    tags = ("tag",) if hasattr(kind, "tag") else ()
    return [attrgetter(name) for name in (*kind.texts, *kind.left_empty, *tags)]


def surely_fit(records: Sequence[Record], room: int) -> bool:
    """Return whether records with short texts, or of at most ``SMALL``, fit the budget."""
    return len(records) * (2 * SHORT * _DEAREST + _BESIDE) <= room or at_most(records) <= room


def taken(records: Sequence[Record]) -> int:
    """Return what records take of the room of an answer; counted exactly only where it is much."""
    most = at_most(records)
    return most if most <= MOST // 8 else sum(weight(record) + beside(record) for record in records)


def fitted(records: Sequence[R], room: int = MOST) -> list[R]:
    """Return records with as much of their texts as fits the room; those that fit are the same objects."""
    room -= sum(map(beside, records))
    costs = list(map(weight, records))
    most = level(costs, room)
    return [
        record if each <= most else cut(record, most) for record, each in zip(records, costs, strict=True)
    ]


def whole_on_a_page(octets: int) -> int:
    """Return how many records with texts of at most so many bytes fit whole, whatever their signs."""
    return max(1, min(PAGE, MOST // (octets * _DEAREST + _BESIDE)))


def longest(records: Iterable[Record]) -> int:
    """Return how many bytes the longest text of some records has."""
    texts = (getattr(record, name) for record in records for name in record.texts)
    return max((len(text.encode()) for text in texts if isinstance(text, str)), default=0)


def is_cut(record: Record) -> bool:
    """Return whether a record lacks any of its texts."""
    texts = [text for name in record.texts if isinstance(text := getattr(record, name), str)]
    return any(map(is_shortened, texts)) or (any(texts) and not getattr(record, record.left_empty[0]))


def alone(record: R) -> R:
    """Return a record as it fits into an answer of its own, the same object if it fits."""
    return record if at_most([record]) <= MOST // 2 else fitted([record])[0]


def cut(record: R, most: int) -> R:
    """Return a record whose texts cost at most so much; what is no text stays if it costs little of that."""
    for name in record.left_empty:
        value = getattr(record, name)
        if (_cost_of(value) > most // SHARE) if isinstance(value, list) else value and weight(record) > most:
            record = changed(record, **{name: type(value)()})
    texts = {name: value for name in record.texts if isinstance(value := getattr(record, name), str)}
    costs = {name: cost(text) for name, text in texts.items()}
    each = level(costs.values(), most - (weight(record) - sum(costs.values())))
    too_long = {name: shortened(text, each) for name, text in texts.items() if costs[name] > each}
    return changed(record, **too_long) if too_long else record
