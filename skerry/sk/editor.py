"""Texts from an option, a file, standard input or the editor, and drafts of those that were not taken."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from skerry.sk import servers
from skerry.sk.failures import USAGE, Failure

_CUT = "----- >8 ----- What follows is left out. An empty text stops."


def given(text: str | None, file: str | None) -> str | None:
    """Return the text of an option or a file, or None; raises Failure for both."""
    if text is not None and file is not None:
        raise Failure("Use either --text or --file", USAGE)
    if file == "-":
        return sys.stdin.read()
    return text if file is None else Path(file).read_text(encoding="utf-8")


def asked(begun: str, about: str) -> str:
    """Return a text from the editor, or standard input that is no terminal; raises Failure for none."""
    text = edited(begun, about) if sys.stdin.isatty() else sys.stdin.read()
    if not text.strip():
        raise Failure("The text is empty, so nothing was sent")
    return text


def edited(begun: str, about: str) -> str:
    """Return what somebody makes of a text in their editor."""
    kept = click.edit(f"{begun}\n\n{_CUT}\n{about}\n", extension=".md", require_save=False)
    return (kept or "").split(_CUT)[0].strip()


@contextmanager
def draft(name: str, text: str) -> Iterator[None]:
    """Keep a text if it cannot be sent, and say where it is."""
    try:
        yield
    except (Failure, KeyboardInterrupt):
        if not text.strip():
            raise
        file = _unused(servers.path().parent / "drafts", name)
        file.write_text(text, encoding="utf-8")
        click.echo(f"sk: The text is kept: --file {file}", err=True)
        raise


def _unused(folder: Path, name: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    number = 1
    while True:
        file = folder / f"{name}-{number}.md"
        try:
            file.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return file
