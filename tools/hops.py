"""Print how many modules of the program a request runs through: a list, a search, a change, a page.

    python tools/hops.py [--files]

The requests run in this process, on SQLite, when everything is warm. A reader who follows a request has to
open these modules; ``--files`` prints their names. Templates are not counted.
"""

import argparse
import asyncio
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bench import sample  # noqa: E402 - found by the line above
from skerry import app  # noqa: E402
from skerry.settings import Settings  # noqa: E402
from skerry.web.log import Log  # noqa: E402

TICKETS = 100
WARM = 3
"""How often each request is sent before it is followed."""

REQUESTS: dict[str, tuple[str, str, str, dict[str, Any] | None]] = {
    "list": ("GET", "/projects/1/tickets.json", "*/*", None),
    "search": ("GET", "/projects/1/tickets.json?q=common state:open", "*/*", None),
    "put": ("PUT", "/projects/2/tickets/1.json", "*/*", {"ticket": {"title": "Wet", "body": "*Rain*"}}),
    "page": ("GET", "/projects/1/tickets/1", "text/html", None),
}


class Follower:
    """The files of the program whose functions were called since it was last told to start."""

    def __init__(self) -> None:
        """Follow all threads that start from now on, and this one; collects nothing before ``start``."""
        self.files: set[str] = set()
        self._folder = f"{ROOT / 'skerry'}/"
        self._following = False
        threading.setprofile(self._called)
        sys.setprofile(self._called)

    def start(self) -> None:
        """Forget the files and collect new ones."""
        self.files, self._following = set(), True

    def stop(self) -> None:
        """Collect no more."""
        self._following = False

    def _called(self, frame: FrameType, event: str, _argument: object) -> None:
        file = frame.f_code.co_filename
        if self._following and event == "call" and file.startswith(self._folder) and file.endswith(".py"):
            self.files.add(file.removeprefix(self._folder))


async def follow(client: httpx.AsyncClient, follower: Follower, say: Callable[[str, set[str]], None]) -> None:
    """Send each request often enough to be warm, then once more, and say what it ran through."""
    for name, (method, path, accepted, body) in REQUESTS.items():
        for _ in range(WARM):
            answer = await client.request(method, path, json=body, headers={"Accept": accepted})
            answer.raise_for_status()
        follower.start()
        await client.request(method, path, json=body, headers={"Accept": accepted})
        follower.stop()
        say(name, follower.files)


def main() -> None:
    """Make a little data, and print a line for each request."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--files", action="store_true", help="print the names of the files too")
    with_files = options.parse_args().files

    def say(name: str, files: set[str]) -> None:
        print(f"{name} {len(files)}", *(f"  {file}" for file in sorted(files) if with_files), sep="\n")

    follower = Follower()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder), durability="normal")
        data = sample.filled(settings.database, TICKETS)
        with app.build(settings, Log(stream=io.StringIO())) as instance:
            application: Any = instance.application
            client = httpx.AsyncClient(
                transport=httpx.ASGITransport(application),
                base_url="http://127.0.0.1",
                headers={"X-ServiceToken": data.token},
            )
            asyncio.run(follow(client, follower, say))


if __name__ == "__main__":
    main()
