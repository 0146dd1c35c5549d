"""The static files of the package: single files, and folders whose files are concatenated.

Styles and scripts are written in several files, one for each subject, and sent as one.
"""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

_TOGETHER = {"skerry.css": "css", "skerry.js": "js"}


@cache
def content(name: str) -> bytes:
    """Return the contents of a file by its name; raises KeyError if there is none."""
    if name in _TOGETHER:
        return b"".join(_part(part) for part in _parts(_folder().joinpath(_TOGETHER[name])))
    files = {file.name: file for file in _folder().iterdir() if file.is_file()}
    return files[name].read_bytes()


@cache
def names() -> tuple[str, ...]:
    """Return the names of all static files."""
    return (*_TOGETHER, *(file.name for file in _folder().iterdir() if file.is_file()))


@cache
def templates() -> Mapping[str, tuple[str, str]]:
    """Return the source and the path of each template by its name."""
    return {
        file.name: (file.read_text(encoding="utf-8"), str(file)) for file in _folder("templates").iterdir()
    }


def _folder(name: str = "static") -> Traversable:
    return resources.files("skerry.web").joinpath(name)


def _parts(folder: Traversable) -> list[Traversable]:
    return sorted((file for file in folder.iterdir() if file.is_file()), key=lambda file: file.name)


def _part(file: Traversable) -> bytes:
    text = file.read_bytes()
    # Each part of the script gets its own scope.
    return b"{\n" + text + b"}\n" if file.name.endswith(".js") else text
