"""Suggestions while a query is typed."""

from skerry.wire.record import Record


class Suggestion(Record, frozen=True):
    """A completion, which would replace the query from the character ``start`` up to ``end``, counted from 0.

    ``kind`` is ``keyword``, or the kind of the value: ``state``, ``person``, ``milestone``, ``tag``,
    ``project``, ``value``.
    """

    singular, plural = "suggestion", "suggestions"

    text: str = ""
    kind: str = ""
    description: str = ""
    start: int = 0
    end: int = 0
