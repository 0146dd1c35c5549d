"""The numbers of the tickets of a project: those of the source where they are free."""

from collections.abc import Iterator

from skerry.store.transfer.imports import HIGHEST
from skerry.transfer.sources.records import TicketName
from skerry.transfer.sources.report import Report


class Numbers:
    """Gives each ticket its number; a number that is taken or missing becomes the next free one."""

    def __init__(self, names: Iterator[TicketName], last: int, report: Report) -> None:
        """Number all tickets; ``last`` is a number up to which all are taken by what does not come."""
        self.in_order: list[int] = []
        self.by_key: dict[str, int] = {}
        self._files = 0
        named = list(names)
        taken: set[int] = set()
        self.highest = max((each.number or 0 for each in named if (each.number or 0) <= HIGHEST), default=0)
        self.highest = max(self.highest, last)
        for key, wanted in named:
            number = wanted
            if number is None or number in taken or not 0 < number <= HIGHEST:
                number = self.highest = self.highest + 1
                if wanted is not None:
                    sentence = "{n} {ticket has|tickets have} another number, because the old one is taken"
                    report.change(sentence, f"{key} is {number}")
                elif key:
                    report.change(
                        "{n} {ticket without a number has|tickets without numbers have} one now",
                        f"{key} is {number}",
                    )
            taken.add(number)
            self.in_order.append(number)
            if key:
                self.by_key.setdefault(key, number)

    def next_file(self) -> int:
        """Return the id of the next attached file."""
        self._files += 1
        return self._files
