"""What commands print: JSON for programs, lines with tabs for pipes, tables and colours for people."""

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from skerry.sk.options import chosen

# A title could move the cursor, or turn the direction of what follows.
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BLANKS = re.compile(r"\s+")
_SMALLEST_WIDTH = 20
_WIDEST = 20
_NARROWEST_TITLE = 12
_FEWEST_COLUMNS = 2


def plain(text: str) -> str:
    """Return a text of somebody's without what controls the terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def one_line(value: object) -> str:
    """Return a value as a cell."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _BLANKS.sub(" ", plain(str(value))).strip()


def is_json() -> bool:
    """Return whether the output is for programs."""
    return chosen("json") is not None


def print_json(value: Any, *, lines: bool = False) -> None:
    """Print a value as JSON, for people in lines of their own."""
    is_short = lines or not sys.stdout.isatty()
    click.echo(json.dumps(value, ensure_ascii=False, indent=None if is_short else 2))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as a table, or with tabs where nobody looks."""
    cells = [[one_line(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        for row in cells:
            click.echo("\t".join(row))
        return
    widths = [max(map(_columns, column)) for column in zip(headings, *cells, strict=True)]
    widths = [min(width, _WIDEST) for width in widths]
    # The second column is a title, and takes what the others leave; in narrow terminals, the last ones go.
    while _left(widths) < _NARROWEST_TITLE and len(widths) > _FEWEST_COLUMNS:
        widths.pop()
    widths[1] = max(_NARROWEST_TITLE, _left(widths))
    rows_shown = [row[: len(widths)] for row in (headings, *cells)]
    lines = ["  ".join(map(_fitted, row, widths)).rstrip() for row in rows_shown]
    show("\n".join((click.style(lines[0], dim=True), *lines[1:])))


def _left(widths: Sequence[int]) -> int:
    """Return what all columns but the second leave of the terminal."""
    return _width() - sum(widths) + widths[1] - 2 * (len(widths) - 1)


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        (unicodedata.east_asian_width(each) in "WF") + (not unicodedata.combining(each)) for each in text
    )


def _fitted(text: str, width: int) -> str:
    """Return a cell as wide as its column."""
    if _columns(text) > width:
        while _columns(text) >= width:
            text = text[:-1]
        text = f"{text}…"
    return text + " " * (width - _columns(text))


def show(text: str) -> None:
    """Print a text for people, through a pager if it is longer than the terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        text = click.unstyle(text)
    lines = sum(1 + _columns(click.unstyle(line)) // _width() for line in text.split("\n"))
    if not sys.stdout.isatty() or lines < shutil.get_terminal_size().lines:
        click.echo(text)
        return
    os.environ.setdefault("LESS", "FRX")
    click.echo_via_pager(text)


def _width() -> int:
    return max(_SMALLEST_WIDTH, shutil.get_terminal_size().columns)
