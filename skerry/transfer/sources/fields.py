"""The members of JSON objects in exports; whatever cannot be used is named with its file and field."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from skerry.errors import Invalid
from skerry.transfer.sources import moments

_MAX_DIGITS = 15
_TIME = "a time such as 2026-02-28T12:30:00Z"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with the place where it is, such as ``issues.json, item 12``. All methods raise Invalid."""

    place: str
    tree: dict[str, Any]

    def has(self, *names: str) -> bool:
        """Return whether all these members are present, possibly null."""
        return all(name in self.tree for name in names)

    def text(self, name: str, otherwise: str | None = None) -> str:
        """Return a text; a missing or null one is ``otherwise``, or invalid if that is None."""
        value = self.tree.get(name)
        if value is None and otherwise is not None:
            return otherwise
        if not isinstance(value, str):
            raise Invalid(f"{self.place}: {name} must be a text")
        return value

    def number(self, name: str) -> int:
        """Return a whole number from 1, also written as a text."""
        number = self.number_or_none(name)
        if number is None or number < 1:
            raise Invalid(f"{self.place}: {name} must be a whole number from 1")
        return number

    def number_or_none(self, name: str) -> int | None:
        """Return a whole number from 0, also written as a text, or None for a missing one."""
        value = self.tree.get(name)
        if value is None:
            return None
        said = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not said.isascii() or not said.isdigit() or len(said) > _MAX_DIGITS:
            raise Invalid(f"{self.place}: {name} must be a whole number")
        return int(said)

    def truth(self, name: str) -> bool:
        """Return a truth value, False for a missing one."""
        value = self.tree.get(name)
        if value is not None and not isinstance(value, bool):
            raise Invalid(f"{self.place}: {name} must be true or false")
        return bool(value)

    def moment(self, name: str) -> int:
        """Return a moment in microseconds since 1970."""
        moment = self.moment_or_none(name)
        if moment is None:
            raise Invalid(f"{self.place}: {name} must be {_TIME}")
        return moment

    def moment_or_none(self, name: str) -> int | None:
        """Return a moment in microseconds since 1970, or None for a missing one."""
        return self._parsed(name, moments.instant, _TIME)

    def day(self, name: str) -> str | None:
        """Return a day such as ``2026-05-01`` of a day or a moment, or None for a missing one."""
        return self._parsed(name, moments.day, "a day such as 2026-02-28")

    def _parsed(self, name: str, parse: Callable[[str], _T | None], expected: str) -> _T | None:
        value = self.tree.get(name)
        if value is None or value == "":
            return None
        parsed = parse(value) if isinstance(value, str) else None
        if parsed is None:
            raise Invalid(f"{self.place}: {name} must be {expected}")
        return parsed

    def one(self, name: str) -> "Fields | None":
        """Return an object, or None for a missing one."""
        value = self.tree.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise Invalid(f"{self.place}: {name} must be an object")
        return Fields(f"{self.place}, {name}", value)

    def several(self, name: str) -> "Iterator[Fields]":
        """Yield the objects of a list; nothing for a missing one."""
        for number, each in enumerate(self.list(name), 1):
            if not isinstance(each, dict):
                raise Invalid(f"{self.place}: {name} must contain objects")
            yield Fields(f"{self.place}, {name} {number}", each)

    def texts(self, name: str) -> "list[str]":
        """Return a list of texts; an empty one if it is missing."""
        texts = self.list(name)
        if not all(isinstance(text, str) for text in texts):
            raise Invalid(f"{self.place}: {name} must contain texts")
        return texts

    def list(self, name: str) -> list[Any]:
        """Return a list; an empty one if it is missing."""
        value = self.tree.get(name)
        if value is not None and not isinstance(value, list):
            raise Invalid(f"{self.place}: {name} must be a list")
        return value or []
