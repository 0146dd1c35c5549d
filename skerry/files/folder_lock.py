"""The lock on a data folder: shared by servers, exclusive for a program that replaces everything."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skerry.errors import Conflict
from skerry.filesystem import lock_if_free

_LOCK_NAME = "serving.lock"


def lock_shared(data: Path) -> None:
    """Hold the shared lock of a data folder until this process ends."""
    fcntl.flock(_open_lock_file(data), fcntl.LOCK_SH)


@contextmanager
def lock_exclusive(data: Path) -> Iterator[None]:
    """Keep servers on this machine out of a data folder; raises Conflict if one is running."""
    door = _open_lock_file(data)
    try:
        if not lock_if_free(door):
            raise Conflict("A server is using this data folder; stop it first")
        yield
    finally:
        os.close(door)


def is_held(data: Path) -> bool:
    """Return whether a server on this machine uses a data folder."""
    try:
        door = os.open(data / _LOCK_NAME, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not lock_if_free(door)
    finally:
        os.close(door)


def user_of(data: Path) -> int:
    """Return the system user that runs the server of a data folder; the current user if there is none yet."""
    try:
        return (data / _LOCK_NAME).stat().st_uid
    except OSError:
        return os.geteuid()


def _open_lock_file(data: Path) -> int:
    """Return a file that is locked until it is closed or the process ends."""
    data.mkdir(parents=True, exist_ok=True)
    return os.open(data / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
