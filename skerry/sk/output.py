"""What commands print: JSON for programs, lines with tabs for pipes, tables and colours for people."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import click

from skerry.sk.options import chosen

if TYPE_CHECKING:
    from rich.console import RenderableType

# A title could move the cursor, or turn the direction of what follows.
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BLANKS = re.compile(r"\s+")
_SMALLEST_WIDTH = 40
_WIDEST = 20


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
    from rich.table import Table  # noqa: PLC0415 - slow to load
    from rich.text import Text  # noqa: PLC0415 - the same

    table = Table(box=None, pad_edge=False, header_style="dim", expand=False)
    widths = [max(len(row[number]) for row in ([*headings], *cells)) for number in range(len(headings))]
    widths = [min(width, _WIDEST) for width in widths]
    # The second column is a title, and takes what the others leave.
    left = _width() - sum(widths) + widths[1] - 2 * (len(widths) - 1)
    widths[1] = max(_WIDEST, left)
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(heading, no_wrap=True, overflow="ellipsis", max_width=width)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    show(table)


def show(what: "RenderableType") -> None:
    """Print something for people, through a pager if it is longer than the terminal."""
    from rich.console import Console  # noqa: PLC0415 - slow to load

    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = Console(width=_width(), color_system=colours, highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        console.print(what)
        return
    with console.capture() as captured:
        console.print(what)
    text = captured.get()
    if text.count("\n") < shutil.get_terminal_size().lines:
        click.echo(text, nl=False, color=True)
        return
    os.environ.setdefault("LESS", "FRX")
    click.echo_via_pager(text, color=True)


def _width() -> int:
    return max(_SMALLEST_WIDTH, shutil.get_terminal_size().columns)
