"""The program's supervisor and workers around a small application, which starts in a fifth of the time.

For what is true of processes and signals whatever the application does; a few tests show each with the whole.
"""

import asyncio

from skerry.processes import end_with_parent
from tests.support.processes import ROOT, Program

_SMALL = """
import os, sys

class Small:
    def serve():
        from tests.support import small_server
        return small_server.answer

sys.modules["skerry.app"] = Small
"""

STARTED, ENDED = "A worker has started", "A worker has ended"

_BECOME = """
from skerry import server
server.become(server.listen("127.0.0.1", {port}), host="127.0.0.1", workers={workers}, threads=None)
"""


async def answer(scope, receive, send):
    """Answer that all is well, and end with the supervisor as the whole application does."""
    if scope["type"] == "lifespan":
        await receive()
        watch = asyncio.create_task(end_with_parent())
        await asyncio.sleep(0)  # from here on it knows which signals are not meant for it
        print(STARTED, flush=True)  # noqa: T201 - to whoever reads what the server prints
        await send({"type": "lifespan.startup.complete"})
        await receive()
        watch.cancel()
        print(ENDED, flush=True)  # noqa: T201 - to whoever reads what the server prints
        await send({"type": "lifespan.shutdown.complete"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


def small(folder, besides=""):
    """Return the setting with which workers have the small application; runs a text at each start."""
    (folder / "sitecustomize.py").write_text(_SMALL + besides)
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


class SmallServer(Program):
    """A server of some workers without a database and without the command line in front of it."""

    def __init__(self, folder, workers=1, *, besides="", start=_BECOME, **options):
        self._start = start
        super().__init__(folder, workers, **options, **small(folder, besides))

    def words(self, workers):
        return ["-c", self._start.format(port=self.port, workers=workers)]
