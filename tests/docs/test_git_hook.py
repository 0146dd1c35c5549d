"""The Git hook deploy/post-receive, which reports pushed commits to a tracker."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support import chromium

HOOK = Path(__file__).parents[2] / "deploy" / "post-receive"
PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Dora"), ("EMAIL", "d@x.example"), ("DATE", "2026-03-14T09:26:53Z"))
}

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("curl")), reason="the hook needs git and curl"
)


class Repository:
    """A clone whose pushes go to a repository with the hook."""

    def __init__(self, folder, project, token, resolved):
        """Make both; ``resolved`` is where the tracker's host is, as curl has it."""
        (folder / ".curlrc").write_text(f'resolve = "{resolved}"\nnoproxy = "*"\n')
        self.folder = folder / "clone"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "CURL_HOME": str(folder),
            **PERSON,
        }
        home = folder / "home.git"
        self.git("init", "--quiet", "--bare", "--initial-branch=main", home, at=folder)
        self.git("clone", "--quiet", home, self.folder, at=folder)
        shutil.copy(HOOK, home / "hooks" / "post-receive")
        self.git("config", "skerry.project", project, at=home)
        self.git("config", "skerry.token", token, at=home)
        self.home = home

    def git(self, *words, at=None):
        """Run Git and give all that it says."""
        done = subprocess.run(
            ["git", *map(str, words)],
            cwd=at or self.folder,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return done.stdout

    def commit(self, message, **files):
        """Write files, named without their ending, and commit everything; gives the revision."""
        for name, text in files.items():
            (self.folder / f"{name}.txt").write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def push(self, branch="main"):
        """Push a branch and return what is said."""
        return self.git("push", "--quiet", "origin", f"HEAD:{branch}")


@pytest.fixture
def project(ada, roof):
    for title in ("Stairs", "Tiles"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    return f"/projects/{roof}"


@pytest.fixture
def repository(world, ada, project, tmp_path):
    token = ada.headers["X-ServiceToken"]
    with chromium.served(world.instance.application) as port:
        address = f"http://{world.host}:{port}{project}"
        yield Repository(tmp_path, address, token, f"{world.host}:{port}:127.0.0.1")


def pairs(changeset):
    """Return the letters and paths of a changeset, which are YAML in XML."""
    changes = changeset["changes"]
    return yaml.safe_load(changes) if isinstance(changes, str) else changes


def revisions(ada, project):
    return {each["revision"] for each in ada.get(f"{project}/changesets").items}


def test_every_commit_of_a_push_is_told_and_acts_on_its_tickets(ada, project, repository):
    first = repository.commit("Seal the stairs [#1 state:resolved]\n\nAnd & = % + ü.", stairs="a", tiles="b")
    repository.git("rm", "--quiet", "tiles.txt")
    second = repository.commit("Look at [#2]", stairs="c")
    assert repository.push() == ""
    told = ada.get(f"{project}/changesets/{first}").item
    assert told["title"] == "Dora: Seal the stairs [#1 state:resolved]"
    assert told["body"].startswith("Seal the stairs [#1 state:resolved]\n\nAnd & = % + ü.")
    assert told["changed_at"] == "2026-03-14T09:26:53Z"
    assert pairs(told) == [["A", "/stairs.txt"], ["A", "/tiles.txt"]]
    told = ada.get(f"{project}/changesets/{second}").item
    assert pairs(told) == [["M", "/stairs.txt"], ["D", "/tiles.txt"]]
    assert ada.get(f"{project}/tickets/1").item["state"] == "resolved"
    assert ada.get(f"{project}/tickets/2").item["version"] == 2


def test_a_commit_that_comes_again_on_another_branch_acts_once(ada, project, repository):
    repository.commit("Begin [#1]", stairs="a")
    repository.push()
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit("Go on [#1]", stairs="b")
    assert repository.push("side") == ""
    assert repository.push("main") == ""
    assert ada.get(f"{project}/tickets/1").item["version"] == 3


def test_with_a_branch_only_its_commits_are_told(ada, project, repository):
    repository.git("config", "skerry.branch", "main", at=repository.home)
    main = repository.commit("Begin", stairs="a")
    repository.push("main")
    repository.commit("Try", stairs="b")
    repository.push("maintenance")
    assert revisions(ada, project) == {main}


def test_a_commit_that_cannot_be_reported_does_not_stop_the_push(ada, project, repository):
    revision = repository.commit("Begin", stairs="a")
    repository.git("config", "skerry.token", "0" * 40, at=repository.home)
    said = repository.push()
    assert f"Commit {revision} could not be reported to Skerry (401)" in said
    assert "The token is not valid here" in said
    assert repository.git("rev-parse", "main", at=repository.home).strip() == revision
    assert revisions(ada, project) == set()


def test_a_commit_that_cannot_be_reported_waits_for_the_next_push(ada, project, repository):
    repository.git("config", "skerry.token", "0" * 40, at=repository.home)
    first = [repository.commit(f"Step {number} [#1]", stairs=number) for number in "12"]
    said = repository.push()
    assert said.count("could not be reported to Skerry") == 1
    assert "It waits for the next push" in said
    repository.git("config", "skerry.token", ada.headers["X-ServiceToken"], at=repository.home)
    last = repository.commit("Step 3 [#1]", stairs="3")
    assert repository.push() == ""
    assert revisions(ada, project) == {*first, last}
    said = [version["body"] for version in ada.get(f"{project}/tickets/1").item["versions"][1:]]
    assert [body.partition("Step ")[2][0] for body in said] == ["1", "2", "3"]
    assert list(repository.home.glob("skerry-waiting.*")) == []


def test_waiting_commits_of_one_second_are_reported_in_order(ada, project, repository, tmp_path):
    date = tmp_path / "standing" / "date"
    date.parent.mkdir()
    date.write_text("#!/bin/sh\necho 1773480413\n")
    date.chmod(0o755)
    repository.environment["PATH"] = f"{date.parent}:{repository.environment['PATH']}"
    repository.git("config", "skerry.token", "0" * 40, at=repository.home)
    repository.commit("Step 1 [#1]", stairs="1")
    repository.push()
    # The numbers of processes begin again at some time.
    (waiting,) = repository.home.glob("skerry-waiting.*")
    waiting.rename(waiting.with_suffix(".99999999"))
    repository.git("config", "skerry.token", ada.headers["X-ServiceToken"], at=repository.home)
    repository.commit("Step 2 [#1]", stairs="2")
    assert repository.push() == ""
    said = [version["body"] for version in ada.get(f"{project}/tickets/1").item["versions"][1:]]
    assert [body.partition("Step ")[2][0] for body in said] == ["1", "2"]


def test_a_commit_with_colours_and_a_file_in_another_encoding_is_told(ada, project, repository):
    (repository.folder / os.fsdecode(b"caf\xe9.txt")).write_text("a")
    revision = repository.commit("Seal \x1b[31mthe stairs\x1b[0m [#1]", stairs="a")
    assert repository.push() == ""
    told = ada.get(f"{project}/changesets/{revision}").item
    assert told["title"] == "Dora: Seal [31mthe stairs[0m [#1]"
    assert pairs(told) == [["A", "/caf.txt"], ["A", "/stairs.txt"]]


def test_a_list_that_belongs_to_somebody_else_is_left_to_them(ada, project, repository, monkeypatch):
    monkeypatch.chdir(repository.home)
    with socket.socket(socket.AF_UNIX) as other:
        # What cannot be opened, not even by an administrator.
        other.bind("skerry-waiting.0")
    revision = repository.commit("Begin", stairs="a")
    repository.push()
    assert revisions(ada, project) == {revision}
    assert [each.name for each in repository.home.glob("skerry-waiting*")] == ["skerry-waiting.0"]


@pytest.fixture
def full(repository, tmp_path):
    """A disk on which there is room for a part of a list."""
    copy = tmp_path / "full" / "cp"
    copy.parent.mkdir()
    copy.write_text('#!/bin/sh\nprintf 0123 >"$2"\necho No space left >&2\nexit 1\n')
    copy.chmod(0o755)
    repository.environment["PATH"] = f"{copy.parent}:{repository.environment['PATH']}"


@pytest.mark.usefixtures("full")
def test_a_commit_is_reported_even_if_it_cannot_be_queued(ada, project, repository):
    revision = repository.commit("Begin", stairs="a")
    assert "No space left" in repository.push()
    assert revisions(ada, project) == {revision}
    assert list(repository.home.glob("skerry-waiting*")) == []


@pytest.mark.usefixtures("full")
def test_a_mail_that_could_not_be_queued_is_not_reported_as_waiting(repository):
    revision = repository.commit("Begin", stairs="a")
    (repository.home / "skerry-waiting.0").write_text(f"{revision}\n")
    repository.git("config", "skerry.token", "0" * 40, at=repository.home)
    said = repository.push()
    assert f"Commit {revision} could not be reported to Skerry (401)" in said
    assert ("It does not wait" in said, "It waits" in said) == (True, False)


@pytest.mark.parametrize("status", ["400", "413"])
def test_a_commit_that_is_rejected_does_not_stop_the_others(repository, tmp_path, status):
    curl = tmp_path / "refusing" / "curl"
    curl.parent.mkdir()
    curl.write_text(f"#!/bin/sh\ncat >/dev/null\nprintf {status}\n")
    curl.chmod(0o755)
    repository.environment["PATH"] = f"{curl.parent}:{repository.environment['PATH']}"
    for text in "ab":
        repository.commit("Begin", stairs=text)
    assert repository.push().count(f"could not be reported to Skerry ({status})") == 2
    assert list(repository.home.glob("skerry-waiting.*")) == []


def test_a_queued_commit_that_is_gone_does_not_stop_the_others(ada, project, repository):
    (repository.home / "skerry-waiting.0").write_text("0" * 39 + "1\n")
    revision = repository.commit("Begin", stairs="a")
    assert repository.push() == ""
    assert revisions(ada, project) == {revision}
    assert list(repository.home.glob("skerry-waiting.*")) == []
