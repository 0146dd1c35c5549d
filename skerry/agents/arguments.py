"""The arguments of tools: declared, described to the model, and checked in sentences."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skerry.agents.tracker import Refused, Tracker

Given = dict[str, Any]
"""The arguments of a call, each of them with its value or its default."""

_KINDS: Mapping[type, tuple[str, str]] = {
    str: ("string", "a text"),
    int: ("integer", "a whole number"),
    bool: ("boolean", "true or false"),
}

MAX_NUMBER = 2**53


@dataclass(frozen=True)
class Argument:
    """An argument: its kind, what it means, and its default; without one it is required.

    A text has at most ``longest`` characters; a number is from ``least`` to ``most``.
    """

    kind: type[Any]
    says: str
    default: Any = None
    is_required: bool = False
    longest: int = 100_000
    least: int = 0
    most: int = MAX_NUMBER

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema."""
        schema: dict[str, Any] = {"type": _KINDS[self.kind][0], "description": self.says}
        if self.kind is str:
            schema["maxLength"] = self.longest
        if self.kind is int:
            schema |= {"minimum": self.least, "maximum": self.most}
        return schema if self.default is None else {**schema, "default": self.default}

    def checked(self, name: str, value: Any) -> Any:
        """Return a value; raises Refused."""
        if self.kind is int and isinstance(value, str) and value.strip().lstrip("#").isdecimal():
            value = int(value.strip().lstrip("#")[:17])
        if type(value) is not self.kind:
            raise Refused(f"{name} must be {_KINDS[self.kind][1]}")
        if isinstance(value, str) and len(value) > self.longest:
            raise Refused(f"{name} is too long (at most {self.longest} characters)")
        if self.kind is int and not self.least <= value <= self.most:
            raise Refused(f"{name} must be a whole number from {self.least} to {self.most}")
        return value


Run = Callable[[Tracker, Given], Awaitable[str]]


@dataclass(frozen=True)
class Tool:
    """A tool: its name, what it does and when to choose it, its arguments, and the function that does it."""

    name: str
    title: str
    says: str
    run: Run
    arguments: Mapping[str, Argument]
    writes: bool = False
    destroys: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {name: each.schema for name, each in self.arguments.items()},
            "required": [name for name, each in self.arguments.items() if each.is_required],
            "additionalProperties": False,
        }

    def given(self, sent: Mapping[str, Any]) -> Given:
        """Return the checked arguments of a call; raises Refused with a sentence for each problem."""
        problems = [self._unknown(name) for name in sent if name not in self.arguments]
        given: Given = {}
        for name, argument in self.arguments.items():
            value = sent.get(name)
            if value is None and argument.is_required:
                problems.append(f"{name} is missing: {argument.says}")
            try:
                given[name] = argument.default if value is None else argument.checked(name, value)
            except Refused as refused:
                problems += refused.sentences
        if problems:
            raise Refused(problems)
        return given

    def _unknown(self, name: str) -> str:
        return f"{self.name} has no argument {name[:40]!r}; it has {', '.join(self.arguments) or 'none'}"
