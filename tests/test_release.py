"""The files of a release: what goes into them, and when there is none."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHANGELOG = (
    "# Changelog\n\n## Unreleased\n\n- Next\n\n## 0.2.0 - 2027-01-31\n\n- Tiles\n\n## 0.1.0\n\n- Roof\n"
)


needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signing needs OpenSSH")


@pytest.fixture(scope="module")
def release():
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refused(release, work):
    with pytest.raises(SystemExit) as ended:
        work()
    assert str(ended.value).startswith("release: ")
    return str(ended.value)


def test_the_notes_are_the_section_of_the_version(release):
    assert release.notes_of("0.2.0", CHANGELOG, is_final=True) == "- Tiles\n"
    assert release.notes_of("0.1.0", CHANGELOG, is_final=True) == "- Roof\n"
    assert release.notes_of("0.3.0", CHANGELOG, is_final=False) == "- Next\n"
    said = refused(release, lambda: release.notes_of("0.3.0", CHANGELOG, is_final=True))
    assert "no section '## 0.3.0'" in said


def test_a_tag_that_is_not_the_version_is_refused():
    words = [sys.executable, ROOT / "tools" / "release.py", "--tag", "v99.0.0"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "The tag is v99.0.0, but pyproject.toml has the version" in done.stderr


def test_nothing_is_released_under_the_address_of_nobody(release, tmp_path, monkeypatch):
    (tmp_path / ".github" / "ISSUE_TEMPLATE").mkdir(parents=True)
    for name in release.ADDRESSED:
        (tmp_path / name).write_text("https://tracker.example.org")
    (tmp_path / "SECURITY.md").write_text(f"security@{release.PLACEHOLDER}")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    said = refused(release, lambda: release.refuse_what_is_not_ready("v1.0.0", "1.0.0"))
    assert said.endswith("in SECURITY.md")


def test_every_file_with_an_address_to_be_replaced_is_looked_at(release):
    folders = [ROOT.glob("*.*"), (ROOT / ".github").rglob("*.*"), (ROOT / "docs").rglob("*.md")]
    files = [file for each in folders for file in each if file.is_file()]
    marked = {file for file in files if f"/{release.PLACEHOLDER}" in file.read_text(errors="replace")}
    marked |= {file for file in files if f"@{release.PLACEHOLDER}>" in file.read_text(errors="replace")}
    assert {str(file.relative_to(ROOT)) for file in marked} <= set(release.ADDRESSED)


def test_a_wheel_that_lacks_something_or_has_too_much_is_refused(release, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("skerry-1.dist-info/entry_points.txt", "[console_scripts]\nskerry = a:b\n")
        wheel.writestr("tests/test_tools.py", "")
    problems = release.problems_of(tmp_path / "a.whl")
    for line in ("lacks skerry/web/templates/base.html", "lacks LICENSE", "lacks the command sk"):
        assert f"The wheel {line}" in problems
    assert "The wheel has tests/test_tools.py" in problems
    assert not any("command skerry" in problem for problem in problems)


def test_the_list_of_parts_names_every_locked_package_and_no_other(release, tmp_path):
    lock, target = ROOT / "requirements" / "run.txt", tmp_path / "parts.json"
    release.list_parts(target, lock, {**os.environ, "SOURCE_DATE_EPOCH": "1764000000"})
    parts = json.loads(target.read_text())
    listed = {f"{part['name']}=={part['version']}" for part in parts["components"]}
    locked = re.sub(r"\[.*?\]", "", lock.read_text())
    assert listed == set(re.findall(r"^[\w.-]+==[^ ;]+", locked, re.MULTILINE))
    assert parts["bomFormat"] == "CycloneDX"
    assert parts["metadata"]["component"]["name"] == "skerry"
    assert all(part["purl"].startswith("pkg:pypi/") for part in parts["components"])


def test_a_list_that_lacks_a_part_is_refused(release, tmp_path, monkeypatch):
    def list_nothing(words, **_environment):
        words[words.index("-o") + 1].write_text('{"components": []}')

    lock = tmp_path / "run.txt"
    lock.write_text("falcon==4.1.0 \\\n    --hash=sha256:00\n")
    monkeypatch.setattr(release, "run", list_nothing)
    said = refused(release, lambda: release.list_parts(tmp_path / "parts.json", lock, {}))
    assert said == "release: The bill of materials lacks [('falcon', '4.1.0')]"


def test_the_checksums_are_those_that_others_check(release, tmp_path):
    (tmp_path / "a.whl").write_bytes(b"wheel")
    (tmp_path / "b.tar.gz").write_bytes(b"archive")
    release.write_sums(tmp_path)
    words = ["sha256sum", "--check", "SHA256SUMS"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["a.whl: OK", "b.tar.gz: OK"]


@pytest.fixture
def signed(release, tmp_path, monkeypatch):
    """A folder with a file and checksums, signed with a key of which the public half is beside them."""
    key = tmp_path.parent / f"{tmp_path.name}-key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = key.with_suffix(".pub").read_text()
    (tmp_path / "a.whl").write_bytes(b"wheel")
    release.write_sums(tmp_path)
    (tmp_path / "release-signers").write_text(f'skerry namespaces="skerry-release" {public}')
    monkeypatch.setenv("RELEASE_SIGNING_KEY", str(key))
    return tmp_path


def sign(folder):
    words = ["sh", ROOT / "tools" / "sign.sh", folder, folder / "release-signers"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def verified(folder):
    """Return whether the commands of the page accept the files."""
    page = (ROOT / "docs" / "versions.md").read_text()
    commands = "".join(
        line for line in page.splitlines(keepends=True) if line.startswith(("    ssh-", "    sha"))
    )
    assert commands.count("\n") == 2
    return (
        subprocess.run(["sh", "-ec", commands], cwd=folder, capture_output=True, check=False).returncode == 0
    )


@needs_ssh_keygen
def test_a_signed_release_is_verified_as_the_page_says(signed):
    assert sign(signed).returncode == 0
    assert verified(signed)
    (signed / "a.whl").write_bytes(b"wheels")
    assert not verified(signed)
    release_sums = (signed / "SHA256SUMS").read_text()
    (signed / "a.whl").write_bytes(b"wheel")
    (signed / "SHA256SUMS").write_text(f"{release_sums}\n")
    assert not verified(signed)


@needs_ssh_keygen
def test_a_key_that_nobody_knows_signs_nothing(signed):
    (signed / "release-signers").write_text("# none yet\n")
    done = sign(signed)
    assert done.returncode == 1
    assert "release-signers does not name the key" in done.stderr
    assert not (signed / "SHA256SUMS.sig").exists()


def test_a_wheel_is_whole_and_comes_out_the_same_from_the_source_archive(release, tmp_path):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1764000000"}
    wheel, archive = release.build(ROOT, tmp_path / "dist", environment)
    assert release.problems_of(wheel) == []
    release.build_again(archive, tmp_path / "again", environment)
    again = tmp_path / "again" / archive.name.removesuffix(".tar.gz")
    for needed in ("Makefile", "tests/conftest.py", "docs/operate.md", "requirements/dev.txt", ".github"):
        assert (again / needed).exists(), needed
