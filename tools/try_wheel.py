"""Try a wheel as somebody does who has nothing else: ``python tools/try_wheel.py WHEEL VERSION``.

Installs it into a new environment, in an empty folder, with nothing of this checkout on the path;
starts the server as its documentation says, signs in, opens a ticket, reads it, and stops.
"""

import http.cookiejar
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 120  # of whatever is waited for, also on a busy machine
WAIT_SECONDS = 0.1


def main(wheel: str, version: str) -> int:
    """Try the wheel and return the exit status; whatever fails ends it with a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        programs = install(Path(wheel).resolve(), Path(folder))
        said = output([programs / "skerry", "--version"], folder)
        if version not in said:
            sys.exit(f"try_wheel: skerry --version says {said.strip()!r} and not {version}")
        output([programs / "sk", "--help"], folder)
        serve(programs, Path(folder))
    print("try_wheel: installed, served, signed in, a ticket opened and read, stopped")
    return 0


def bare() -> dict[str, str]:
    """Return the environment of the shell without what leads to this checkout."""
    ours = ("SKERRY_", "PYTHON", "VIRTUAL")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def install(wheel: Path, folder: Path) -> Path:
    """Return the folder of the programs of a new environment that has the wheel and its command `sk`."""
    place = folder / "environment"
    environment = {**bare(), "PYTHON": sys.executable}
    subprocess.run(["/bin/sh", ROOT / "tools" / "venv.sh", place], check=True, env=environment)
    words = [
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        f"skerry[client] @ {wheel.as_uri()}",
    ]
    subprocess.run([place / "bin" / "python", *words], check=True, cwd=folder, env=environment)
    return place / "bin"


def output(words: list[str | Path], folder: str) -> str:
    """Return what a program prints; end where it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env=bare())
    if done.returncode:
        sys.exit(f"try_wheel: {words[0]} failed: {done.stderr.strip()}")
    return done.stdout


def serve(programs: Path, folder: Path) -> None:
    """Start the server in an empty folder, use it, and stop it."""
    home, printed = folder / "empty", folder / "printed"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with printed.open("w") as output_file:
        words: list[str | Path] = [programs / "skerry", "serve", "--port", str(port)]
        process = subprocess.Popen(words, stdout=output_file, stderr=subprocess.STDOUT, cwd=home, env=bare())
    try:
        wait(process, f"http://127.0.0.1:{port}/health", printed)
        use(f"http://127.0.0.1:{port}", printed.read_text())
        process.terminate()
        if process.wait(PATIENCE_SECONDS):
            sys.exit(f"try_wheel: The server ended with {process.returncode}:\n{printed.read_text()}")
    finally:
        process.kill()


def wait(process: subprocess.Popen[bytes], address: str, printed: Path) -> None:
    """Wait until the server answers; end where it does not."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=PATIENCE_SECONDS).close()
        except OSError:
            time.sleep(WAIT_SECONDS)
        else:
            return
    sys.exit(f"try_wheel: The server does not answer:\n{printed.read_text()}")


def use(base: str, printed: str) -> None:
    """Sign in on the page, open a ticket through the interface, and find it on the page."""
    login, password, token = (
        first(rf"^ *{name} +(\S+)$", printed) for name in ("login", "password", "token")
    )
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    browser = urllib.request.build_opener(jar)
    page = read(browser, f"{base}/sign-in")
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
    form = {**hidden, "email": login, "password": password}
    read(browser, urllib.request.Request(f"{base}/sign-in", urllib.parse.urlencode(form).encode()))
    headers = {"X-ServiceToken": token, "Content-Type": "application/json"}
    for path, sent in (
        ("/projects.json", {"project": {"name": "Roof"}}),
        ("/projects/1/tickets.json", {"ticket": {"title": "It leaks"}}),
    ):
        read(browser, urllib.request.Request(f"{base}{path}", json.dumps(sent).encode(), headers))
    if "It leaks" not in read(browser, f"{base}/projects/1/tickets/1"):
        sys.exit("try_wheel: The page of the ticket does not show it")


def read(browser: urllib.request.OpenerDirector, request: str | urllib.request.Request) -> str:
    """Return the text of an answer; end where it is refused."""
    try:
        with browser.open(request, timeout=PATIENCE_SECONDS) as answer:
            text: str = answer.read().decode()
    except urllib.error.HTTPError as error:
        sys.exit(f"try_wheel: {error.url} answered {error.code}: {error.read().decode()[:500]}")
    return text


def first(pattern: str, text: str) -> str:
    """Return what a pattern finds; end where it finds nothing."""
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else sys.exit(f"try_wheel: The server did not print {pattern}:\n{text}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
