"""The report about a source: what is kept, what changes on the way, and what is lost."""

from collections import Counter
from dataclasses import dataclass, field

from skerry.text.characters import printable
from skerry.text.numbers import counted

MAX_EXAMPLES = 8
"""How many examples of each kind a report names."""

_MAX_EXAMPLE_LENGTH = 100
_MAX_KINDS = 200


@dataclass
class Noted:
    """How often something happened, and its first examples."""

    count: int = 0
    examples: Counter[str] = field(default_factory=Counter)


@dataclass
class Report:
    """Counts by sentence, as in ``text/numbers.py``; ``guesses`` says how the source was understood.

    ``columns`` has the field of each column of a table.
    """

    kept: Counter[str] = field(default_factory=Counter)
    changed: dict[str, Noted] = field(default_factory=dict)
    lost: dict[str, Noted] = field(default_factory=dict)
    guesses: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)

    def keep(self, what: str, count: int = 1) -> None:
        """Count something that comes as it is, such as ``{n} {ticket|tickets}``."""
        self.kept[what] += count

    def change(self, sentence: str, example: str = "", count: int = 1) -> None:
        """Count something that comes with another value."""
        _note(self.changed, sentence, example, count)

    def lose(self, sentence: str, example: str = "", count: int = 1) -> None:
        """Count something that does not come."""
        _note(self.lost, sentence, example, count)

    def guess(self, sentence: str) -> None:
        """Report how the source was understood."""
        if sentence not in self.guesses and len(self.guesses) < _MAX_KINDS:
            self.guesses.append(sentence)

    def lines(self) -> list[str]:
        """Return each part of the report that is not empty: its title, and its sentences in lines below."""
        parts = {
            "Understood": self.guesses,
            "Kept": [counted(what, count) for what, count in self.kept.items() if count],
            "Changed": [_told(*each) for each in self.changed.items()],
            "Lost": [_told(*each) for each in self.lost.items()],
        }
        return [
            line
            for title, sentences in parts.items()
            if sentences
            for line in (f"{title}:", *(f"  {printable(sentence)}" for sentence in sentences))
        ]


def _note(notes: dict[str, Noted], sentence: str, example: str, count: int) -> None:
    if not count:
        return
    # A source with a thousand kinds of things must not fill the memory or the terminal.
    known = sentence in notes or len(notes) < _MAX_KINDS
    noted = notes.setdefault(sentence if known else "{n} other {thing|things}", Noted())
    noted.count += count
    short = example[:_MAX_EXAMPLE_LENGTH]
    if short and (short in noted.examples or len(noted.examples) < MAX_EXAMPLES):
        noted.examples[short] += count


def _told(sentence: str, noted: Noted) -> str:
    said = counted(sentence, noted.count)
    shown = [f"{each} ({count})" if count > 1 else each for each, count in noted.examples.items()]
    if not shown:
        return said
    more = ", …" if noted.count > noted.examples.total() else ""
    return f"{said}: {', '.join(shown)}{more}"
