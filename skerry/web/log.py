"""The log: one line a request, for people or for programs."""

import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog


class Log:
    """Writes to standard error; nothing it is given holds a secret."""

    def __init__(self, style: str = "text", stream: TextIO | None = None) -> None:
        """Write lines as ``text`` for people or as ``json`` for programs."""
        renderer = structlog.processors.JSONRenderer() if style == "json" else _text
        self._logger = structlog.wrap_logger(
            structlog.WriteLogger(cast("TextIO", _Patient(stream or sys.stderr))),
            processors=[
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
                renderer,
            ],
        )

    def request(self, method: str, path: str, status: int, milliseconds: float, request_id: str) -> None:
        """Say how one request was answered."""
        self._logger.info(
            "request",
            method=method,
            path=path,
            status=status,
            milliseconds=round(milliseconds, 1),
            request_id=request_id,
        )

    def event(self, what: str, **details: object) -> None:
        """Say that something happened to the service itself."""
        self._logger.info(what, **details)

    def failure(self, what: str, request_id: str, error: BaseException) -> None:
        """Say what went wrong inside, with the place in the code, for whoever runs the service."""
        self._logger.error(what, request_id=request_id, exc_info=error)


class _Patient:
    """A stream that swallows what the disk does not take: no request fails because of its line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def _text(_logger: object, _method: str, entry: structlog.typing.EventDict) -> str:
    """Write a line for people: the time, what happened, then names and values."""
    moment, what = entry.pop("timestamp", ""), entry.pop("event", "")
    trace = entry.pop("exception", None)
    line = " ".join([str(moment), str(what), *(f"{name}={_plain(value)}" for name, value in entry.items())])
    return f"{line}\n{trace}" if trace else line


def _plain(value: object) -> str:
    text = str(value)
    # What a caller sent must not be able to look like a second line of the log.
    return text if text.isprintable() and " " not in text and text else repr(text)
