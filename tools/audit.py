"""Tell which locked packages have a published vulnerability.

Exit status 1 means that there are some. Where the advisory database cannot be reached nothing is
known, which is said loudly and is no failure: a build without network must not be red for it.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 120
SKIPPED = "\n*** AUDIT SKIPPED: advisory database not reachable ***\n"


def main(locks: list[str]) -> int:
    """Print each finding on a line and return the exit status."""
    packages = ask(locks)
    # A package that the database does not know, as when a mirror answers in its place, was not audited.
    audited = [package for package in packages if "skip_reason" not in package]
    if not audited:
        print(SKIPPED)
        return 0
    found = findings(audited)
    for line in found:
        print(line)
    print(f"audit: {len(audited)} of {len(packages)} packages looked up, {len(found)} known vulnerabilities")
    return 1 if found else 0


def ask(locks: list[str]) -> list[dict[str, Any]]:
    """Return what pip-audit says of each locked package; nothing where it gets no answer."""
    try:
        done = subprocess.run(command(locks), capture_output=True, check=False, timeout=PATIENCE_SECONDS)
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return []
    return packages


def command(locks: list[str]) -> list[str]:
    """Return the call of pip-audit; the locks name every package, so nothing needs resolving."""
    beside = str(Path(sys.executable).with_name("pip-audit"))
    options = ["--format=json", "--progress-spinner=off", "--disable-pip", "--require-hashes", "--timeout=5"]
    return [beside, *options, *(f"--requirement={lock}" for lock in locks)]


def findings(packages: list[dict[str, Any]]) -> list[str]:
    """Return a line for each vulnerability: the package, its version, the advisory, what mends it."""
    return [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in: {', '.join(flaw['fix_versions'])}"
        for package in packages
        for flaw in package["vulns"]
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
