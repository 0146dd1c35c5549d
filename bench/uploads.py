"""Measure what a large file costs in memory: one upload and one download through the real server.

    python bench/uploads.py --mebibytes 1024

It prints how long each took, and by how much the memory of the server's processes together rose
above what they had before. With SKERRY_BLOBS set, the files go to that bucket.
"""

import argparse
import hashlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

MEBIBYTE = 1024 * 1024
BOUNDARY = "a-boundary-that-the-file-does-not-hold"
PASSWORD = "correct horse battery"  # noqa: S105 - of an account that lives for a minute


class Memory:
    """The highest memory of a process and its children, in bytes, while it is watched."""

    def __init__(self, process: int) -> None:
        """Watch a process."""
        self._process = process
        self._stop = Event()
        self.highest = 0

    def now(self) -> int:
        """Give what is resident now."""
        return sum(_resident(process) for process in [self._process, *_children(self._process)])

    def __enter__(self) -> Self:
        """Begin to watch."""
        self.highest = self.now()
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
            self.highest = max(self.highest, self.now())


def _children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text()
    direct = [int(child) for child in found.split()]
    return direct + [deeper for child in direct for deeper in _children(child)]


def _resident(process: int) -> int:
    match = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    return int(match[1]) * 1024 if match else 0


def content(size: int) -> Iterator[bytes]:
    """Give the bytes of the file, a quarter of a mebibyte at a time, no two pieces alike."""
    for piece in range(size // (MEBIBYTE // 4)):
        yield hashlib.shake_128(piece.to_bytes(8, "big")).digest(1024) * 256


def form() -> tuple[bytes, bytes]:
    """Give what stands in a form before and after the file."""
    head = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="ticket[title]"\r\n\r\nLarge\r\n'
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="ticket[attachment][]"; '
        f'filename="large.bin"\r\nContent-Type: application/octet-stream\r\n\r\n'
    )
    return head.encode(), f"\r\n--{BOUNDARY}--\r\n".encode()


def upload(port: int, project: int, size: int, headers: dict[str, str]) -> int:
    """Open a ticket with a file of so many bytes and give its number."""
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
    said = json.loads(answer.read())
    assert answer.status == HTTPStatus.CREATED, said
    return int(said["ticket"]["number"])


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


def ask(port: int, method: str, path: str, headers: dict[str, str], data: object = None) -> Any:
    """Speak JSON to the server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    sent = {**headers, "Content-Type": "application/json"}
    connection.request(method, path, None if data is None else json.dumps(data), sent)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status < HTTPStatus.MULTIPLE_CHOICES, body
    return json.loads(body) if body else None


def measure(server: int, port: int, size: int) -> None:
    """Upload, download and delete, and print what each cost."""
    login = b64encode(f"ada@example.com:{PASSWORD}".encode()).decode()
    headers = {"Authorization": f"Basic {login}"}
    project = ask(port, "POST", "/projects.json", headers, {"project": {"name": "Large"}})["project"]["id"]
    # What is loaded at the first use of all is no part of the cost of size.
    number = upload(port, project, MEBIBYTE, headers)
    memory = Memory(server)
    for what in ("upload", "download"):
        before, began = memory.now(), time.perf_counter()
        with memory:
            if what == "upload":
                number = upload(port, project, size, headers)
            else:
                ticket = ask(port, "GET", f"/projects/{project}/tickets/{number}.json", headers)["ticket"]
                path = re.sub(r"^https?://[^/]+", "", ticket["attachments"][0]["attachment"]["url"])
                download(port, path, size, headers)
        seconds = time.perf_counter() - began
        rise = (memory.highest - before) / MEBIBYTE
        grown = f"memory {before / MEBIBYTE:.0f} MiB, risen by {rise:.1f} MiB"
        print(f"{what:9}{size // MEBIBYTE} MiB in {seconds:.1f} s; {grown}")
    ask(port, "DELETE", f"/projects/{project}.json", headers)


def main() -> None:
    """Start a server on an empty folder, measure, and stop it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mebibytes", type=int, default=1024)
    size = parser.parse_args().mebibytes * MEBIBYTE
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        skerry = [sys.executable, "-m", "skerry", "--data", folder]
        account = [
            "--account",
            "Bench",
            "--email",
            "ada@example.com",
            "--name",
            "Ada",
            "--password",
            PASSWORD,
        ]
        subprocess.run([*skerry, "init", *account], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [*skerry, "serve", "--port", str(port)],
            env={**os.environ, "SKERRY_UPLOAD_LIMIT": str(size)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(port)
            measure(server.pid, port, size)
        finally:
            server.terminate()
            server.wait()


def wait_for(port: int) -> None:
    """Wait until the server answers, at most half a minute."""
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The server did not start")


if __name__ == "__main__":
    main()
