"""Measure what a large file costs in memory: one upload and one download through the real server.

    python -m bench.uploads --mebibytes 1024

It prints how long each took, and by how much the memory of the server's processes together rose
above what they had before. With SKERRY_BLOBS set, the files go to that bucket.
"""

import argparse
import hashlib
import http.client
import json
import os
import re
import subprocess
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

from bench.load import Request, ask
from bench.serving import MEBIBYTE, MODULE, Server

BOUNDARY = "a-boundary-that-the-file-does-not-hold"
EMAIL, PASSWORD = "ada@example.com", "correct horse battery"  # of an account that lives for a minute


class Memory:
    """The highest memory of a server in MiB, while it is watched."""

    def __init__(self, server: Server) -> None:
        """Watch a server."""
        self._server = server
        self._stop = Event()
        self.highest = 0.0

    def __enter__(self) -> Self:
        """Begin to watch."""
        self.highest = self._server.memory()
        self._stop.clear()
        self._thread = Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.02):
            self.highest = max(self.highest, self._server.memory())


def content(size: int) -> Iterator[bytes]:
    """Return the bytes of the file, a quarter of a mebibyte at a time, no two pieces alike."""
    for piece in range(size // (MEBIBYTE // 4)):
        yield hashlib.shake_128(piece.to_bytes(8, "big")).digest(1024) * 256


def form() -> tuple[bytes, bytes]:
    """Return what stands in a form before and after the file."""
    head = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="ticket[title]"\r\n\r\nLarge\r\n'
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="ticket[attachment][]"; '
        f'filename="large.bin"\r\nContent-Type: application/octet-stream\r\n\r\n'
    )
    return head.encode(), f"\r\n--{BOUNDARY}--\r\n".encode()


def upload(port: int, project: int, size: int, headers: dict[str, str]) -> int:
    """Open a ticket with a file of so many bytes and return its number."""
    head, tail = form()

    def body() -> Iterator[bytes]:
        yield head
        yield from content(size)
        yield tail

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    sent = {
        **headers,
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Content-Length": str(len(head) + size + len(tail)),
    }
    connection.request("POST", f"/projects/{project}/tickets.json", body(), sent)
    answer = connection.getresponse()
    made = json.loads(answer.read())
    assert answer.status == HTTPStatus.CREATED, made
    return int(made["ticket"]["number"])


def download(port: int, path: str, size: int, headers: dict[str, str]) -> None:
    """Fetch a file and compare every byte."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    assert answer.status == HTTPStatus.OK
    assert int(answer.headers["Content-Length"]) == size
    for piece in content(size):
        assert answer.read(len(piece)) == piece
    assert answer.read() == b""


def speak(port: int, method: str, path: str, headers: dict[str, str], data: object = None) -> Any:
    """Speak JSON to the server."""
    sent = {**headers, "Content-Type": "application/json"}
    answer = ask(port, Request(method, path, json.dumps(data) if data else "", sent))
    assert answer.status < HTTPStatus.MULTIPLE_CHOICES, answer.body
    return json.loads(answer.body or "null")


def measure(server: Server, size: int) -> None:
    """Upload, download and delete, and print what each cost."""
    port, login = server.port, b64encode(f"{EMAIL}:{PASSWORD}".encode()).decode()
    headers = {"Authorization": f"Basic {login}"}
    project = speak(port, "POST", "/projects.json", headers, {"project": {"name": "Large"}})["project"]["id"]
    # What is loaded at the first use of all is no part of the cost of size.
    number = upload(port, project, MEBIBYTE, headers)
    memory = Memory(server)
    for what in ("upload", "download"):
        before, began = server.memory(), time.perf_counter()
        with memory:
            if what == "upload":
                number = upload(port, project, size, headers)
            else:
                ticket = speak(port, "GET", f"/projects/{project}/tickets/{number}.json", headers)["ticket"]
                path = re.sub(r"^https?://[^/]+", "", ticket["attachments"][0]["attachment"]["url"])
                download(port, path, size, headers)
        seconds = time.perf_counter() - began
        grown = f"memory {before:.0f} MiB, risen by {memory.highest - before:.1f} MiB"
        print(f"{what:9}{size // MEBIBYTE} MiB in {seconds:.1f} s; {grown}")
    speak(port, "DELETE", f"/projects/{project}.json", headers)


def main() -> None:
    """Start a server on an empty folder, measure, and stop it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mebibytes", type=int, default=1024)
    size = parser.parse_args().mebibytes * MEBIBYTE
    settings = {"SKERRY_UPLOAD_LIMIT": str(size), "SKERRY_BLOBS": os.environ.get("SKERRY_BLOBS", "")}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        skerry = [*MODULE, "skerry", "--data", folder]
        person = ["--account", "Bench", "--email", EMAIL, "--name", "Ada", "--password", PASSWORD]
        subprocess.run([*skerry, "init", *person], check=True, stdout=subprocess.DEVNULL)
        serve, log = [*skerry, "serve", "--workers", "1", "--port", "{port}"], Path(folder, "server.log")
        with Server(serve, log, "/health", **settings) as server:
            measure(server, size)


if __name__ == "__main__":
    main()
