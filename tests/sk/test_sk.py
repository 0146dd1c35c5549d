"""What ``sk`` does with tickets."""

import json
import os
import subprocess
import sys

import pytest

from skerry.sk import commands
from tests.support.newcomers import hold, newcomer
from tests.support.processes import PATIENCE, ROOT


def shown(sk, number=1):
    return json.loads(sk.good("show", number, "--json"))


def test_a_ticket_is_opened_listed_and_shown(sk):
    tags = ("--tag", "rain", "--tag", "two words")
    said = sk.good("new", "It leaks", "-t", "Rain comes in.", *tags, "--assign", "me")
    assert said.startswith("Opened #1 http://127.0.0.1:")
    sk.good("comment", 1, "--text", "Two tiles are broken.")
    row = sk.good("list", "state:open", "leaks").split("\t")
    assert row[:5] == ["1", "It leaks", "new", "Ada", 'rain "two words"']
    page = sk.good("show", 1)
    assert "#1 It leaks\nnew · assigned to Ada · tags rain" in page
    assert "Rain comes in.\n── Ada 20" in page
    assert "Two tiles are broken." in page


def test_json_is_what_the_server_sends(sk, ada, roof):
    sk.good("new", "It leaks")
    (listed,) = json.loads(sk.good("list", "--json"))
    sent = ada.get(f"/projects/{roof}/tickets").items[0]
    assert listed == {**sent, "url": listed["url"]}
    assert json.loads(sk.good("--json", "new", "Second"))["number"] == 2


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (("state:resolved",), "state", "resolved"),
        (("state:'resolved'",), "state", "resolved"),
        (("tagged:wet", "tagged:cold"), "tag", "cold wet"),
        (("responsible:ben",), "assigned_user_name", "Ben"),
        (("--assign", "ben"), "assigned_user_name", "Ben"),
        (("--assign", "none"), "assigned_user_name", None),
        (("--milestone", "dry"), "milestone_title", "Dry"),
        (("--title", "Flood"), "title", "Flood"),
        (("--state", "open", "-m", "Look"), "version", 2),
    ],
)
def test_a_ticket_is_changed_by_commands_and_options(sk, ada, roof, words, name, value):
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Dry"}})
    sk.good("new", "It leaks")
    assert sk.good("edit", 1, *words).startswith("Changed #1")
    assert shown(sk)[name] == value


def test_a_text_of_a_newcomer_waits_and_so_it_is_said(sk, world, ada, harbour):
    number = ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}}).item["number"]
    hold(world)
    dora = newcomer(world, "dora")
    sk.monkeypatch.setenv("SKERRY_TOKEN", dora.headers["X-ServiceToken"])
    sk.monkeypatch.setenv("SKERRY_PROJECT", str(harbour))
    said = "Sent. A member of the project has to release it before others see it\n"
    assert sk.good("new", "It leaks", "-t", "Since Monday.") == said
    assert sk.good("comment", number, "-t", "Here too.") == said


def test_the_history_says_what_changed(sk):
    sk.good("new", "It leaks", "--assign", "ben")
    sk.good("edit", 1, "--assign", "ada", "--state", "open")
    page = sk.good("show", 1)
    assert "assigned user: Ben → Ada" in page
    assert "state: new → open" in page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("edit", 1, "state:dry"), "State is not one of new, open, resolved, hold, invalid"),
        (("edit", 1, "tagged:wet", "wrong"), "is not a command"),
        (("edit", 1, "--assign", "dora"), "No member is called dora"),
        (("edit", 1, "--milestone", "dry"), "There is no milestone dry"),
        (("show", 7), "Ticket not found"),
        (("list", "sate:open"), "Unknown keyword 'sate'"),
        (("list", "--bin", "wet"), "There is no saved query wet"),
        (("list", "--project", "cellar"), "There is no project cellar"),
        (("comment", 1), "The text is empty"),
        (("comment", 1, "--file", "/nowhere"), "/nowhere: No such file or directory"),
        (("new", ""), "Title can't be blank"),
    ],
)
def test_a_refusal_is_one_sentence(sk, words, sentence):
    sk.good("new", "It leaks")
    code, said = sk.bad(*words)
    assert sentence in said
    assert code == 1


@pytest.mark.parametrize(
    "words", [("nope",), ("show",), ("show", "x"), ("comment", 1, "-t", "a", "-F", "b"), ()]
)
def test_wrong_words_have_an_exit_code_of_their_own(sk, words):
    assert sk.bad(*words)[0] == 2


def test_a_server_that_is_down_has_an_exit_code_of_its_own(sk, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    monkeypatch.setenv("SKERRY_URL", "http://127.0.0.1:9")
    assert sk.bad("list") == (3, "http://127.0.0.1:9/ cannot be reached: Connection refused")


def test_a_command_without_a_sign_in_says_how_to_sign_in(shell, sk, server, monkeypatch):
    monkeypatch.setenv("SKERRY_TOKEN", "0" * 40)
    code, sentence = sk.bad("list")
    assert (code, sentence.endswith(f"sign in with: sk login {server.address}")) == (4, True)
    monkeypatch.delenv("SKERRY_URL")
    assert shell.bad("list") == (4, "Sign in first: sk login https://tracker.example")


def test_a_bulk_edit_is_shown_before_it_is_made(sk):
    sk.good("new", "It leaks", "--tag", "rain")
    assert sk.good("bulk", "tagged:rain", "state:resolved", "--dry-run") == "#1 It leaks\n"
    assert sk.bad("bulk", "tagged:rain", "state:resolved") == (1, "Nothing was changed; add --yes")
    assert shown(sk)["state"] == "new"
    said = sk.good("bulk", "tagged:rain", "state:resolved", "--yes")
    assert "Changed 1 ticket; to undo it: sk api POST" in said
    assert shown(sk)["state"] == "resolved"
    assert sk.good("bulk", "tagged:snow", "state:resolved", "-n") == "No ticket would change\n"


def test_other_things_are_listed(sk, ada, roof):
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Dry", "due_on": "2027-01-31"}})
    ada.post(f"/projects/{roof}/bins", {"bin": {"name": "Wet", "query": "tagged:rain"}})
    sk.good("new", "It leaks", "--tag", "rain")
    assert sk.good("milestones").split("\t")[1:] == ["Dry", "2027-01-31", "0", "0\n"]
    assert "\tWet\ttagged:rain\t1" in sk.good("bins")
    assert sk.good("list", "--bin", "wet").startswith("1\tIt leaks\t")
    assert f"{roof}\tRoof\t1\t" in sk.good("projects")
    assert [one["id"] for one in json.loads(sk.good("projects", "--json")) if one["id"] == roof] == [roof]


def test_events_are_listed_and_followed(sk):
    sk.good("new", "It leaks")
    lines = sk.good("events").splitlines()
    assert lines[-1].split("\t")[1:4] == ["Ada", "ticket.created", "ticket 1"]
    number = json.loads(sk.good("events", "--json").splitlines()[-1])["number"]
    followed = sk.good("events", "--follow", "--after", number - 1, "--limit", 1, "--json")
    assert json.loads(followed)["type"] == "ticket.created"


def test_any_request_can_be_sent(sk):
    made = json.loads(sk.good("api", "POST", "/projects/{project}/tickets", "-f", "title=Leak"))["ticket"]
    assert made["title"] == "Leak"
    assert "<title>Leak</title>" in sk.good("api", "get", "projects/{project}/tickets/1.xml")
    said = sk.good("api", "GET", "/projects/{project}/tickets", "-q", "q=nothing", "--include")
    assert said.startswith("200 OK\n")
    assert said.endswith('{"tickets":[]}\n')
    assert sk.bad(
        "api", "PUT", "/projects/{project}/tickets/1", "-d", "-", read='{"ticket":{"title":""}}'
    ) == (
        1,
        "Title can't be blank",
    )


def test_what_strangers_write_cannot_control_the_terminal(sk, ada, roof):
    ada.post(
        f"/projects/{roof}/tickets", {"ticket": {"title": "Leak \u202egnp", "body": "Wet \u009b2J here"}}
    )
    for said in (sk.good("list"), sk.good("show", 1)):
        assert not {"\u202e", "\u009b", "\x1b"} & set(said)


def test_the_editor_writes_a_ticket(sk):
    sk.edits(
        'printf "It leaks\\n\\nRain comes in." > "$1.new"; tail -n +3 "$1" >> "$1.new"; mv "$1.new" "$1"'
    )
    sk.good("new")
    assert (shown(sk)["title"], shown(sk)["body"]) == ("It leaks", "Rain comes in.")


def test_a_text_is_edited_unless_somebody_else_did(sk, server, ada, roof):
    sk.good("new", "It leaks", "-t", "Rain.")
    sk.edits('sed -i s/Rain/Snow/ "$1"')
    sk.good("edit", 1)
    assert shown(sk)["body"] == "Snow."
    sk.edits(f'echo Hail > "$1"; {mist(server, ada, roof)}')
    code, said = sk.bad("edit", 1)
    assert (code, said) == (1, "This has changed since you read it")
    assert (sk.folder / "skerry/drafts/text-1-1.md").read_text() == "Hail"


def mist(server, ada, roof):
    """Return a command that changes the text of a ticket meanwhile."""
    token, url = ada.headers["X-ServiceToken"], f"{server.address}/projects/{roof}/tickets/1/versions/1"
    work = f"httpx.put('{url}', headers={{'X-ServiceToken': '{token}'}}, json={{'body': 'Mist'}})"
    return f'{sys.executable} -c "import httpx; {work}"'


def test_a_text_that_was_not_taken_is_kept_and_can_be_sent_again(sk, monkeypatch):
    sk.good("new", "It leaks")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    with monkeypatch.context() as down:
        down.setenv("SKERRY_URL", "http://127.0.0.1:9")
        code, _, errors = sk.run("comment", 1, read="Sealed at last.\n")
    file = sk.folder / "skerry/drafts/comment-1-1.md"
    assert (code, errors.splitlines()[0]) == (3, f"sk: The text is kept: --file {file}")
    assert file.stat().st_mode & 0o777 == 0o600
    sk.good("comment", 1, "--file", file)
    assert shown(sk)["versions"][-1]["body"] == "Sealed at last."


def test_an_empty_text_is_not_kept(sk):
    assert sk.run("new", "")[2] == "sk: Title can't be blank\n"
    assert not (sk.folder / "skerry/drafts").exists()


def test_a_list_that_was_cut_says_so(sk):
    for number in range(3):
        sk.good("new", f"Leak {number}")
    limit, numbers = 2, ("list", "--limit")
    assert sk.run(*numbers, limit)[2] == f"sk: There are more than these {limit}; see more with --limit\n"
    assert sk.good(*numbers, limit + 1).count("\n") == limit + 1


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_get_their_completion(sk, name, monkeypatch):
    assert "_SK_COMPLETE" in sk.good("completion", name)
    monkeypatch.setenv("_SK_COMPLETE", f"{name}_complete")
    monkeypatch.setenv("COMP_WORDS", "sk mile")
    monkeypatch.setenv("COMP_CWORD", "mile" if name == "fish" else "1")
    assert "milestones" in sk.good()


def test_bash_completes_commands_and_projects(sk, ada, tmp_path):
    ada.post("/projects", {"project": {"name": "Old Barn"}})
    (tmp_path / "sk").write_text(f'#!/bin/sh\nexec {sys.executable} -m skerry.sk "$@"\n')
    (tmp_path / "sk").chmod(0o700)
    script = (
        'source <(sk completion bash); try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); COMPREPLY=();'
        '_sk_completion sk; echo "${COMPREPLY[@]}"; }; try sk mile; try sk -p Old; try sk list --project o'
    )
    environment = {**os.environ, "PYTHONPATH": ROOT, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("milestones\nold-barn\nold-barn\n", "")


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9"])
def test_without_a_server_no_project_is_completed(shell, monkeypatch, address):
    monkeypatch.setenv("SKERRY_URL", address)
    monkeypatch.setenv("_SK_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "sk list -p ")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert shell.good() == "\n"


def test_help_says_what_each_command_does(sk):
    overview = sk.good("--help")
    for name, words in ((name, words) for name, (_, words) in commands._COMMANDS.items()):
        assert words in overview
        assert sk.good(name, "--help").startswith(f"Usage: sk {name} ")
