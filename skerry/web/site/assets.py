"""The files that the package brings: as they are, or put together from the parts of a folder.

A style or a script is written in several files, each about one thing, and sent as one.
"""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

_TOGETHER = {"skerry.css": "css", "skerry.js": "js"}


@cache
def content(name: str) -> bytes:
    """Give the bytes of a file by its name; raises KeyError if there is none."""
    if name in _TOGETHER:
        return b"".join(_part(part) for part in _parts(_folder().joinpath(_TOGETHER[name])))
    found = {file.name: file for file in _folder().iterdir() if file.is_file()}
    return found[name].read_bytes()


def names() -> list[str]:
    """Give the names of all files that there are."""
    return [*_TOGETHER, *(file.name for file in _folder().iterdir() if file.is_file())]


def _folder() -> Traversable:
    return resources.files("skerry.web").joinpath("static")


def _parts(folder: Traversable) -> list[Traversable]:
    return sorted((file for file in folder.iterdir() if file.is_file()), key=lambda file: file.name)


def _part(file: Traversable) -> bytes:
    text = file.read_bytes()
    # Each part of the script keeps its names to itself.
    return b"{\n" + text + b"}\n" if file.name.endswith(".js") else text
