"""The real nginx and Caddy with the files in deploy/, of which only ports, folders and TLS are replaced.

Where one is missing, its tests are skipped and the summary says so.
"""

import os
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.processes import ROOT, free_port, until

NAMES = ("nginx", "caddy")
HOST = "tracker.example.org"

# Beside those of the caller: where Debian's packages put servers, and where tools/proxies.sh unpacks them.
_UNPACKED = Path(sys.prefix, "proxies")
_FOLDERS = (os.environ.get("PATH", ""), "/usr/sbin", f"{_UNPACKED}/usr/sbin", f"{_UNPACKED}/usr/bin")

_NGINX = """
daemon off;
pid {folder}/pid;
error_log stderr;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {shipped}
}}
"""

_CADDY = """{{
	admin off
	auto_https off
}}
{shipped}
"""


def path(name):
    """Return the program of a proxy, None if there is none."""
    return shutil.which(name, path=os.pathsep.join(_FOLDERS))


def summary(reporter):
    """Describe loudly that tests were skipped."""
    missing = [name for name in NAMES if path(name) is None]
    if missing:
        reporter.section(f"NO {' AND NO '.join(missing).upper()}: their tests were SKIPPED", red=True)
        reporter.line("Install Debian's packages of these names; `make test` as root does.")


@contextmanager
def in_front_of(port, name, folder, *, below="", host=HOST):
    """Run a proxy in front of a server's port, and return the proxy's own port; skips without the program.

    The service is at the root of a host, or ``below`` a path, as the comments in the files say.
    """
    program = path(name) or pytest.skip(f"there is no {name} here")
    listening = free_port()
    configured = _nginx if name == "nginx" else _caddy
    words = configured(folder, port, listening, below, host)
    with (folder / "logged").open("w") as logged:
        process = subprocess.Popen(
            [program, *words],
            stdout=logged,
            stderr=logged,
            env={
                **os.environ,
                "HOME": str(folder),
                "XDG_DATA_HOME": str(folder),
                "XDG_CONFIG_HOME": str(folder),
            },
        )
    try:
        until(lambda: _listens(process, listening, folder / "logged"), f"an answer of {name}")
        yield listening
    finally:
        process.terminate()
        process.wait(30)


def _nginx(folder, port, listening, below, _host):
    shipped = _replaced(
        "nginx.conf",
        ("server 127.0.0.1:8000;", f"server 127.0.0.1:{port};"),
        ("    listen 80;\n    listen [::]:80;\n", f"    listen 127.0.0.1:{free_port()};\n"),
        (
            "    listen 443 ssl;\n    listen [::]:443 ssl;\n",
            f"    listen 127.0.0.1:{listening};\n",
        ),
        ("    ssl_certificate     /etc/ssl/skerry/fullchain.pem;\n", ""),
        ("    ssl_certificate_key /etc/ssl/skerry/privkey.pem;\n", ""),
        ("location / {", f"location {below}/ {{"),
        ("location = /metrics {", f"location = {below}/metrics {{"),
        ('X-Forwarded-Prefix "";', f'X-Forwarded-Prefix "{below}";'),
    )
    user = "user root;" if os.geteuid() == 0 else ""
    written = folder / "nginx.conf"
    written.write_text(_NGINX.format(folder=folder, user=user, shipped=shipped))
    return ["-p", str(folder), "-c", str(written), "-e", "stderr"]


def _caddy(folder, port, listening, below, host):
    shipped = _replaced(
        "Caddyfile",
        ("{$TRACKER_UPSTREAM:127.0.0.1:8000} {", f"127.0.0.1:{port} {{"),
        (f"{{$TRACKER_HOST:{HOST}}} {{", f"http://{host}:{listening} {{"),
        ("path /metrics", f"path {below}/metrics"),
    )
    if below:
        begin, end = shipped.index("\treverse_proxy"), shipped.rindex("}")
        block = shipped[begin:end].replace("-X-Forwarded-Prefix", f"X-Forwarded-Prefix {below}")
        handled = f"\tredir {below} {below}/\n\thandle_path {below}/* {{\n{block}\t}}\n"
        shipped = f"{shipped[:begin]}{handled}{shipped[end:]}"
    written = folder / "Caddyfile"
    written.write_text(_CADDY.format(shipped=shipped))
    return ["run", "--config", str(written), "--adapter", "caddyfile"]


def _replaced(name, *pairs):
    text = Path(ROOT, "deploy", name).read_text()
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def _listens(process, port, logged):
    assert process.poll() is None, logged.read_text()
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    return False
