"""The commands of docs/moving-in.md fetch all that an import from Redmine reads."""

import json
import os
import re
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.sources import red
from tests.cli.sources.test_moving_in import PART

SCRIPT = next(block for block in re.findall(r"```sh\n(.*?)```", PART, re.DOTALL) if "REDMINE=" in block)
WHOLE = {7: red.LEAK, 9: red.issue(9, journals=[])}
LISTS = {name: {name: members} for each in red.ANSWERS.values() for name, members in each.items()}


def answer(address, home):
    """Return what a Redmine with two issues answers, or None."""
    asked, place = parse_qs(address.query), address.path
    if place.startswith("/attachments/download/"):
        return None if place.endswith("lost.png") else "rain"
    if match := re.fullmatch(r"/issues/(\d+)\.json", place):
        text = json.dumps({"issue": WHOLE[int(match[1])]}, separators=(",", ":"))
        return text.replace(red.ADDRESS, home)
    if place == "/issues.json":
        assert asked["status_id"] == ["*"]
        plain = [red.issue(number) for number in WHOLE] if asked["offset"] == ["0"] else []
        return json.dumps({"issues": plain, "total_count": len(WHOLE)}, separators=(",", ":"))
    if place == "/projects/roof.json":
        return json.dumps({"project": red.ANSWERS["projects.json"]["projects"][0]})
    name = place.rpartition("/")[2].removesuffix(".json")
    return json.dumps(LISTS[name]) if name in LISTS and name != "custom_fields" else None


@pytest.fixture
def address():
    """The address of a small Redmine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            home = f"http://{self.headers['Host']}"
            known = self.headers["X-Redmine-API-Key"] == "k3y"
            said = answer(urlsplit(self.path), home) if known else None
            self.send_response(403 if said is None else 200)
            self.end_headers()
            self.wfile.write((said or "").encode())

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_commands_fetch_everything(tmp_path, address, moved):
    script = SCRIPT.replace("https://redmine.example", address)
    environment = {**os.environ, "KEY": "k3y"}
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "without custom_fields" in done.stdout
    leak = moved("redmine", tmp_path / "redmine")[7]
    assert [each["filename"] for each in leak["attachments"]] == ["stairs.png", "a_b.png"]
    assert (leak["creator_name"], leak["milestone_title"], leak["closed"]) == ("Ada L", "1.0", True)
    assert len(leak["versions"]) == 5
