"""Suggestions while a query is typed."""

from typing import ClassVar

from skerry.wire.record import Record


class Suggestion(Record, frozen=True):
    """A text that could replace what a query holds from the character ``start`` up to ``end``, from 0.

    ``kind`` is ``keyword``, or for a value what it names: ``state``, ``person``, ``milestone``,
    ``tag``, ``project``, ``value``.
    """

    singular: ClassVar[str] = "suggestion"
    plural: ClassVar[str] = "suggestions"

    text: str = ""
    kind: str = ""
    description: str = ""
    start: int = 0
    end: int = 0
