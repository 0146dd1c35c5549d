"""What goes wrong, and the exit codes that scripts can use."""

import click

REFUSED, USAGE, UNREACHABLE, NOT_SIGNED_IN = 1, 2, 3, 4

_UNAUTHENTICATED = 401


class Failure(click.ClickException):
    """A sentence for the terminal, and the exit code."""

    def __init__(self, sentence: str, exit_code: int = REFUSED) -> None:
        super().__init__(sentence)
        self.code = exit_code


def code_of(status: int | None) -> int:
    """Return the exit code for the status of an answer; 0 is none, None something that was not sent."""
    return {0: UNREACHABLE, _UNAUTHENTICATED: NOT_SIGNED_IN}.get(-1 if status is None else status, REFUSED)
