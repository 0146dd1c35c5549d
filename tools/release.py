"""Make the files of a release in dist/: ``python tools/release.py [--tag v0.1.0]``.

Builds the wheel and the source archive from the checkout, builds both again from what the source
archive holds, and compares them byte by byte. Then it looks into the wheel, writes the bill of
materials (SBOM), cuts the notes from CHANGELOG.md, writes the checksums, signs them if RELEASE_SIGNING_KEY
names a key, and tries the wheel in a new environment.
Whatever is wrong ends it with a sentence and exit status 1; dist/ is then as it was before.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# What a server needs besides modules; a wheel without them starts and then fails.
NEEDED = (
    "skerry/py.typed",
    "skerry/database/migrations/script.py.mako",
    "skerry/mail/templates/layout.html",
    "skerry/web/locale/de.po",
    "skerry/web/static/css/10-base.css",
    "skerry/web/static/js/10-page.js",
    "skerry/web/templates/base.html",
)
LICENSES = ("LICENSE", "icons.LICENSE.txt", "inter.LICENSE.txt")
COMMANDS = ("sk = ", "skerry = ")
# The addresses of the project are not known yet; nothing is released under these.
PLACEHOLDER = "skerry.example"
ADDRESSED = (
    "pyproject.toml",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    ".github/ISSUE_TEMPLATE/config.yml",
    ".github/release-signers",
)


def main(words: list[str]) -> int:
    """Make the release and return the exit status."""
    parser = argparse.ArgumentParser(description="Make the files of a release in dist/.")
    parser.add_argument("--tag", help="the tag that is released, such as v0.1.0; without it, a rehearsal")
    options = parser.parse_args(words)
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    if options.tag:
        refuse_what_is_not_ready(options.tag, version)
    notes = notes_of(version, (ROOT / "CHANGELOG.md").read_text(), is_final=bool(options.tag))
    environment = {**os.environ, "SOURCE_DATE_EPOCH": moment()}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "dist"
        wheel, archive = build(ROOT, made, environment)
        build_again(archive, Path(folder) / "again", environment)
        if problems := problems_of(wheel):
            sys.exit("release: " + "\n".join(problems))
        list_parts(made / f"skerry-{version}.cdx.json", ROOT / "requirements" / "run.txt", environment)
        write_sums(made)
        if os.environ.get("RELEASE_SIGNING_KEY"):
            run(["sh", ROOT / "tools" / "sign.sh", made])
        (made / f"skerry-{version}-notes.md").write_text(notes)
        run([sys.executable, ROOT / "tools" / "try_wheel.py", wheel, version])
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        shutil.copytree(made, ROOT / "dist")
    print(f"release: {version} is in dist/")
    return 0


def refuse_what_is_not_ready(tag: str, version: str) -> None:
    """End unless the tag is the version, everything is committed, and the addresses are real."""
    if tag != f"v{version}":
        sys.exit(f"release: The tag is {tag}, but pyproject.toml has the version {version}")
    if unknown := [name for name in ADDRESSED if PLACEHOLDER in (ROOT / name).read_text()]:
        sys.exit(f"release: Replace {PLACEHOLDER} by the addresses of the project in {', '.join(unknown)}")
    words = ["git", "-C", str(ROOT), "status", "--porcelain"]
    if subprocess.run(words, capture_output=True, text=True, check=True).stdout:
        sys.exit("release: Commit or remove what has changed since the tag; git status lists it")


def run(words: list[str | Path], **options: Any) -> None:
    """Run a program of the project; end with its sentence where it fails."""
    done = subprocess.run([str(word) for word in words], check=False, **options)
    if done.returncode:
        sys.exit(f"release: Failed: {' '.join(map(str, words))}")


def moment() -> str:
    """Return when the last commit was made, or what SOURCE_DATE_EPOCH says, as in an unpacked archive."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    words = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("release: No commit to take the time from; set SOURCE_DATE_EPOCH")
    return done.stdout.strip()


def build(source: Path, target: Path, environment: dict[str, str]) -> tuple[Path, Path]:
    """Return the wheel and the source archive that are built from a folder."""
    run([sys.executable, "-m", "hatchling", "build", "-d", target], cwd=source, env=environment)
    return next(target.glob("*.whl")), next(target.glob("*.tar.gz"))


def build_again(archive: Path, folder: Path, environment: dict[str, str]) -> None:
    """Build from the content of a source archive, and end where anything comes out different."""
    folder.mkdir()
    run(["tar", "-xzf", archive, "-C", folder])
    again = build(folder / archive.name.removesuffix(".tar.gz"), folder / "dist", environment)
    for second in again:
        if second.read_bytes() != (archive.parent / second.name).read_bytes():
            sys.exit(f"release: {second.name} is different when it is built from the source archive")


def problems_of(wheel: Path) -> list[str]:
    """Return a line for each file that the wheel lacks or must not have."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        home = next(name.partition("/")[0] for name in names if ".dist-info/" in name)
        entries = packed.read(f"{home}/entry_points.txt").decode()
    missing = [name for name in NEEDED if name not in names]
    missing += [each for each in LICENSES if not any(is_license(name, home, each) for name in names)]
    missing += [f"the command {each.partition(' ')[0]}" for each in COMMANDS if each not in entries]
    strange = [name for name in names if not name.startswith(("skerry/", f"{home}/"))]
    strange += [name for name in names if name.endswith((".pyc", ".sqlite3"))]
    return [f"The wheel lacks {each}" for each in missing] + [f"The wheel has {each}" for each in strange]


def is_license(name: str, home: str, license_name: str) -> bool:
    """Return whether a file of a wheel is a certain text of its licences."""
    return name.startswith(f"{home}/licenses/") and name.endswith(f"/{license_name}")


def list_parts(target: Path, lock: Path, environment: dict[str, str]) -> None:
    """Write the bill of materials in the format of CycloneDX, which names every locked package."""
    program = Path(sys.executable).with_name("cyclonedx-py")
    options = ["--output-reproducible", "--of", "JSON", "--pyproject"]
    run([program, "requirements", *options, ROOT / "pyproject.toml", "-o", target, lock], env=environment)
    listed = {(part["name"], part["version"]) for part in json.loads(target.read_text())["components"]}
    locked = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^ ;]+)", lock.read_text(), re.MULTILINE)
    if missing := set(locked) - listed:
        sys.exit(f"release: The bill of materials lacks {sorted(missing)}")


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS, which ``sha256sum --check`` reads."""
    files = sorted(folder.iterdir())
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines))


def notes_of(version: str, changelog: str, *, is_final: bool) -> str:
    """Return the section of a version; what is not released yet serves for a rehearsal."""
    headings = [re.escape(version)] if is_final else [re.escape(version), "Unreleased"]
    for heading in headings:
        found = re.search(rf"^## {heading}\b[^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
        if found and found[1].strip():
            return found[1].strip() + "\n"
    sys.exit(f"release: CHANGELOG.md has no section '## {version}'")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
