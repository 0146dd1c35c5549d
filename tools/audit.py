"""Tell which locked packages have a published vulnerability: ``python tools/audit.py [--required] LOCK…``.

Exit status 1 means that there are some, or that the locks cannot be read. Where the advisory database gives
no answer nothing is known, which is said loudly and is no failure: a build without network must not be red
for it. With ``--required``, as in the workflows, it is one, and so is an answer about some packages only.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 120
SKIPPED = "\n*** AUDIT SKIPPED: the advisory database did not answer ***\n"


def main(words: list[str]) -> int:
    """Print each finding on a line and return the exit status."""
    parser = argparse.ArgumentParser(description="Tell which locked packages have a known vulnerability.")
    parser.add_argument("--required", action="store_true", help="fail unless every package was looked up")
    parser.add_argument("locks", nargs="+")
    options = parser.parse_args(words)
    # This reads the locks, but asks nobody; what fails after it is for want of an answer.
    read = run("--dry-run", locks=options.locks)
    if read.returncode:
        sys.exit(f"audit: {read.stderr.strip()}")
    packages = ask(options.locks)
    # A package that the database does not know, as when a mirror answers in its place, was not audited.
    audited = [package for package in packages if "skip_reason" not in package]
    if not audited:
        print(SKIPPED)
        return int(options.required)
    found = findings(audited)
    for line in found:
        print(line)
    print(f"audit: {len(audited)} of {len(packages)} packages looked up, {len(found)} known vulnerabilities")
    return int(bool(found) or (options.required and audited != packages))


def ask(locks: list[str]) -> list[dict[str, Any]]:
    """Return what pip-audit says of each locked package; without an answer nothing, and print why."""
    try:
        done = run(locks=locks)
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired as late:
        print(f"audit: {late}")
        return []
    except json.JSONDecodeError:
        print(f"audit: {done.stderr.strip()[-300:]}")
        return []
    return packages


def run(*options: str, locks: list[str]) -> subprocess.CompletedProcess[str]:
    """Run pip-audit; the locks name every package, so nothing needs resolving."""
    beside = str(Path(sys.executable).with_name("pip-audit"))
    usual = ["--format=json", "--progress-spinner=off", "--disable-pip", "--require-hashes", "--timeout=5"]
    words = [beside, *usual, *options, *(f"--requirement={lock}" for lock in locks)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)


def findings(packages: list[dict[str, Any]]) -> list[str]:
    """Return a line for each vulnerability: the package, its version, the advisory, what mends it."""
    return [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in: {', '.join(flaw['fix_versions'])}"
        for package in packages
        for flaw in package["vulns"]
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
