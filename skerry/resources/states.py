"""The states of tickets."""

from typing import ClassVar

from skerry.wire.record import Record


class State(Record, frozen=True):
    """A state that tickets of a project may have, with its colour and the number of tickets in it.

    ``color`` is six hexadecimal digits.
    """

    singular: ClassVar[str] = "state"
    plural: ClassVar[str] = "states"

    closed: bool = False
    color: str = ""
    name: str = ""
    tickets_count: int = 0
