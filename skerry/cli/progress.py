"""The progress of a command, on standard error."""

import sys
from time import monotonic

import click

SECONDS = 10
"""How often a line is printed where there is no terminal."""

_REFRESH = 0.2


class Progress:
    """Prints what is done and how long the rest will take: on a terminal in one line, elsewhere in lines."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._pause = _REFRESH if self._terminal else SECONDS
        self._what, self._began, self._next = "", 0.0, monotonic() + self._pause

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note how much is done, of a total that is 0 if it is unknown."""
        now = monotonic()
        if what != self._what:
            self._what, self._began = what, now
        if now < self._next:
            return
        self._next = now + self._pause
        left = (now - self._began) * (total - done) / done if total and done else 0
        of_them = f"{done:,} of {total:,}" if total else f"{done:,}"
        rest = f", {_spoken(left)} left" if left >= 1 else ""
        begin, end = ("\r\033[K", "") if self._terminal else ("", "\n")
        click.echo(f"{begin}{what}: {of_them}{rest}{end}", nl=False, err=True)

    def end(self) -> None:
        """Remove the line from a terminal."""
        if self._terminal:
            click.echo("\r\033[K", nl=False, err=True)


def _spoken(seconds: float) -> str:
    """Return a duration in words, rounded like an estimate."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"about {hours} h {minutes} min"
    return f"about {minutes} min" if minutes else f"about {rest} s"
