"""A bystander: a server like the product's with a constant answer, to see what the machine does to all."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress

from tests.support.processes import ROOT, START_PATIENCE, free_port, until

_ANSWER = b" " * 1000


async def constant(_scope, _receive, send):
    """Answer whatever is asked."""
    headers = [(b"content-length", b"%d" % len(_ANSWER))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": _ANSWER})


@contextmanager
def standing_by(folder):
    """Return the port at which one with two workers answers."""
    port, log = free_port(), folder / "bystander"
    words = ["uvicorn", f"{__name__}:constant", "--workers", "2", "--port", str(port), "--lifespan", "off"]
    with log.open("w") as logged:
        server = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=ROOT, stdout=logged, stderr=logged, start_new_session=True
        )
    try:
        until(lambda: server.poll() is not None or _answers(port), "a bystander", START_PATIENCE)
        assert server.poll() is None, log.read_text()
        yield port
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
