"""Lasting failures of background work, which the processes of a server share in files."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

Say = Callable[[str], object]

Report = Callable[[str, Exception], object]
"""What reports an unexpected error of some work, with the name of the work."""


class Failures:
    """The present failures by name; each is reported once, whichever process notices it."""

    def __init__(self, data: Path, say: Say = lambda _sentence: None) -> None:
        """Open the failures of a data folder; ``say`` is called with sentences for the operator."""
        self._folder, self._say = data / "failing", say

    def clear(self) -> None:
        """Remove the failures of an earlier server."""
        for name in self.all():
            (self._folder / name).unlink(missing_ok=True)

    def note(self, name: str, sentence: str) -> None:
        """Record why some work fails."""
        if self.all().get(name) == sentence:
            return
        self._say(sentence)
        # If the disk is full, the failure is in the log at least.
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            (self._folder / name).write_text(sentence)

    def end(self, name: str, sentence: str) -> None:
        """Record that some work succeeds; report the sentence if it failed before."""
        with suppress(FileNotFoundError):
            (self._folder / name).unlink()
            self._say(sentence)

    def all(self) -> dict[str, str]:
        """Return the reason of each failure, by the name of the work."""
        texts: dict[str, str] = {}
        for path in sorted(self._folder.glob("*")):
            with suppress(OSError):
                texts[path.name] = path.read_text()
        return texts
