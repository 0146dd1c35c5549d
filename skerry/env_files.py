"""Environment files with settings, as systemd and the shell read them."""

import re
import shlex
from pathlib import Path

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def read(path: Path) -> dict[str, str]:
    """Return the variables that a file sets; raises ValueError for a line that sets none.

    A line is ``NAME=value``; a value with blanks or other special characters is in quotes. Blank lines and
    those that begin with ``#`` or ``;`` are ignored. Nothing is expanded.
    """
    lines = enumerate(path.read_text("utf-8-sig").splitlines(), start=1)
    said = ((number, line.strip()) for number, line in lines)
    return dict(
        _setting(line, f"{path}, line {number}") for number, line in said if line[:1] not in ("", "#", ";")
    )


def _setting(line: str, place: str) -> tuple[str, str]:
    # The values may be passwords, so no message repeats them.
    match = _LINE.fullmatch(line)
    if not match:
        raise ValueError(f"{place}: write NAME=value")
    try:
        words = shlex.split(match[2])
    except ValueError as error:
        raise ValueError(f"{place}: the value of {match[1]} has a quote that does not end") from error
    return match[1], " ".join(words)
