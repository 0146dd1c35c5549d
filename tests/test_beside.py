"""The benchmark of other trackers: their data, and the report."""

import json
import subprocess
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest

import bench.__main__ as bench
from bench import load, sample
from bench.compare import (
    beside,
    beside_data,
    beside_operations,
    beside_python,
    beside_table,
    redmine_operations,
    redmine_tracker,
    trac_operations,
    trac_tracker,
)
from bench.load import Answer, Figures, Request, WrongAnswerError

LOGINS = {1: "ada@example.org", 2: "ben@example.org"}
OPENED, CHANGED = 1_262_304_013_250_400, 1_262_304_073_000_000
TOLD = beside_data.Told(20, 2000, "Newest", "Later", 700, "Found", "Latest", "Comment")
OURS, THEIRS = Figures(rate=200, p50=4, p99=9, cpu=2000), Figures(rate=50, p50=20, p99=40, cpu=18_000)


def test_a_ticket_is_written_with_its_people_by_login_and_a_message_for_each_version():
    row = (7, "Rain", "open", "roof gable", 2, None, 1, 2, OPENED, CHANGED, "1.0")
    told = beside_data.ticket(row, [(7, 1, OPENED, "It drips."), (7, 2, CHANGED, "Still.")], LOGINS)
    assert (told["number"], told["title"], told["state"], told["importance"]) == (7, "Rain", "open", 2)
    assert (told["creator"], told["author"], told["assignee"]) == (LOGINS[1], LOGINS[2], None)
    assert (told["tags"], told["milestone"]) == (["roof", "gable"], "1.0")
    assert (told["opened"], told["changed"]) == ("2010-01-01T00:00:13.250", "2010-01-01T00:01:13.000")
    assert told["messages"][1] == {"author": LOGINS[2], "at": "2010-01-01T00:01:13.000", "text": "Still."}


def test_the_whole_sample_and_what_right_answers_have_are_reported(tmp_path):
    sample.filled(f"sqlite:///{tmp_path / 'made.sqlite3'}", 100, shares=(1.0,))
    told = beside_data.tell(tmp_path / "made.sqlite3", tmp_path / "told.jsonl")
    around, *tickets = map(json.loads, (tmp_path / "told.jsonl").read_text().splitlines())
    assert len(around["people"]) == told.people == 20
    assert {each["milestone"] for each in tickets} == {None, *around["milestones"]}
    assert {tag for each in tickets for tag in each["tags"]} == set(around["tags"])
    assert [each["number"] for each in tickets] == list(range(1, 101))
    assert max(tickets, key=lambda each: each["changed"])["title"] == told.newest
    assert sum("common" in each["messages"][0]["text"] for each in tickets) == told.with_word
    newest_first = sorted(tickets, key=lambda each: each["changed"], reverse=True)
    assert (told.page, newest_first[60]["title"]) == (3, told.later)
    assert tickets[76]["messages"][2]["text"] == told.comment


@pytest.mark.parametrize("tracker", ["roundup", "trac"])
def test_a_database_that_the_other_tracker_is_not_measured_on_is_refused_at_once(
    monkeypatch, capsys, tracker
):
    monkeypatch.setattr(beside, "run", lambda *_: pytest.fail("it was not refused"))
    monkeypatch.setattr("sys.argv", ["bench", "--beside", tracker, "--postgres"])
    with pytest.raises(SystemExit):
        bench.main()
    assert f"{tracker} is measured on SQLite only" in capsys.readouterr().err


def test_a_task_of_two_requests_takes_the_time_of_both():
    both = beside_table.one_after_another([THEIRS, THEIRS])
    assert (both.rate, both.p50, both.p99, both.cpu) == (25, 40, 80, 36_000)


def test_a_line_shows_both_results_and_their_ratio():
    pair = beside_table.Pair("list", "token", 16, OURS, THEIRS, 1000, 2000, aim=150)
    line = beside_table.line(pair)
    said = "list token 16 | 200.0 4.00 9.00 2.00 1000 | 50.0 20.00 40.00 18.00 2000 | 4.0 9.0 150"
    assert " ".join(line.split()) == said
    assert len(line) == len(beside_table.HEAD)


def test_stored_results_name_each_measurement():
    pair = beside_table.Pair("list", "token", 16, OURS, THEIRS, 1000, 2000)
    kept = json.loads(json.dumps(beside_table.kept([pair], beside=["other==1"])))
    found = kept["results"]["list token connections=16"]
    assert kept["beside"] == ["other==1"]
    assert (found["ours"]["rate"], found["theirs"]["rate"], found["times"], found["by_cpu"]) == (
        200,
        50,
        4,
        9,
    )


@pytest.mark.parametrize("tracker", ["roundup", "trac"])
def test_nothing_is_measured_if_pip_cannot_fetch_a_package(monkeypatch, tmp_path, tracker):
    def refused(words, **_):
        return subprocess.CompletedProcess(words, 1, "", "ERROR: No matching distribution found")

    monkeypatch.setattr(trac_tracker, "TOO_NEW", (99,))
    monkeypatch.setattr(beside_python, "BUILD", tmp_path)
    monkeypatch.setattr(subprocess, "run", refused)
    said = rf"^{tracker.title()} could not .*nothing was measured.*No matching distribution found"
    with pytest.raises(SystemExit, match=said):
        beside.OTHERS[tracker](tmp_path)


def test_packages_from_pip_are_reused_until_other_versions_are_required(monkeypatch, tmp_path):
    asked = []

    def fetching(words, **_):
        asked.append(words)
        (tmp_path / "beside-one").mkdir(exist_ok=True)
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(beside_python, "BUILD", tmp_path)
    monkeypatch.setattr(subprocess, "run", fetching)
    python = str(beside_python.fetched("One", ("one==1", "two==2")))
    assert asked[0][-2:] == ["--clear", str(tmp_path / "beside-one")]
    assert asked[1] == [
        python,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "-q",
        "one==1",
        "two==2",
    ]
    beside_python.fetched("One", ("one==1", "two==2"))
    assert len(asked) == 2
    beside_python.fetched("One", ("one==1.1", "two==2"))
    assert asked[3][-2:] == ["one==1.1", "two==2"]


def test_nothing_is_measured_if_redmine_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(redmine_tracker, "PACKAGE", tmp_path / "nothing")
    with pytest.raises(SystemExit, match=r"nothing was measured; .* redmine, redmine-sqlite, .* puma\.$"):
        redmine_tracker.Redmine(tmp_path)


def test_redmine_is_copied_without_the_settings_and_data_of_the_machine(monkeypatch, tmp_path):
    package, run = tmp_path / "package", tmp_path / "run"
    (package / "config").mkdir(parents=True)
    for name in ("Gemfile", "Gemfile.lock", "config/database.yml", "config/routes.rb"):
        (package / name).write_text(f"read {package}/config/database.yml")
    monkeypatch.setattr(redmine_tracker, "PACKAGE", package)
    monkeypatch.setattr(redmine_tracker.shutil, "which", lambda _: "puma")
    monkeypatch.setattr(redmine_tracker, "run", lambda *_, **__: '{"versions": ["Redmine 1"], "key": "k"}')
    redmine = redmine_tracker.Redmine(run)
    redmine.fill(run / "told", None)
    copy, own = run / "redmine", run / "redmine" / "instances" / "bench" / "config"
    assert {path.name for path in copy.rglob("*.*")} >= {"routes.rb", "Gemfile.local"}
    assert not (copy / "Gemfile.lock").exists()
    assert not (copy / "config" / "database.yml").exists()
    assert json.loads((own / "database.yml").read_text())["production"]["adapter"] == "sqlite3"
    assert (copy / "Gemfile").read_text() == f"read {copy}/config/database.yml"
    assert (redmine.versions, redmine.writers) == (("Redmine 1",), (1,))


def test_both_trackers_support_each_task_and_writes_come_last():
    sign_in = beside_operations.SignIn("token", {"X-ServiceToken": "ours"}, {"X-Key": "theirs"}, rounds=1)
    made = {"people": {"person1@example.org": 6}, "states": {"hold": 4}, "tags": 1}
    deeds = beside_operations.deeds(sign_in, TOLD, redmine_operations.asks(sign_in.theirs, TOLD, made))
    assert [deed.writes for deed in deeds] == [False] * 8 + [True] * 2
    assert {deed.name for deed in deeds} >= set(redmine_operations.AIMS)
    assert all(ask.request.headers["X-Key"] == "theirs" for deed in deeds for ask in deed.theirs)
    update = json.loads(deeds[-1].theirs[0].request.body)["issue"]
    assert (update["status_id"], update["subject"]) == (4, "Changed @unique@")


def test_trac_is_asked_by_whoever_has_its_cookies_and_its_forms_have_what_one_of_them_has():
    (sign_in,) = trac_operations.sign_ins("ours", "theirs", seconds=9)
    assert (sign_in.rounds, sign_in.seconds) == (2, 4)
    deeds = beside_operations.deeds(sign_in, TOLD, trac_operations.asks(sign_in.theirs, TOLD))
    assert [deed.writes for deed in deeds] == [False] * 7 + [True] * 2
    auth, proof = sign_in.theirs["Cookie"].split("; ")
    assert auth == "trac_auth=theirs"
    asks = [ask for deed in deeds for ask in deed.theirs]
    assert all(ask.request.headers["Cookie"] == sign_in.theirs["Cookie"] for ask in asks)
    create, update = (parse_qs(ask.request.body) for ask in asks[-2:])
    assert {f"trac_form_token={form['__FORM_TOKEN'][0]}" for form in (create, update)} == {proof}
    assert (asks[-1].request.path, asks[-1].request.highest) == ("/ticket/@number@", 2000)
    assert (update["field_summary"], update["action"]) == (["Changed @unique@"], ["hold"])
    assert all(ask.then.pieces for ask in asks[-2:])


def test_nothing_is_fetched_if_python_is_too_new_for_trac(monkeypatch, tmp_path):
    monkeypatch.setattr(trac_tracker, "fetched", lambda *_: pytest.fail("it was fetched"))
    monkeypatch.setattr(trac_tracker, "TOO_NEW", (3, 11))
    with pytest.raises(SystemExit, match=r"^Trac 1\.6 does not run on Python 3\.14 .* nothing was measured"):
        trac_tracker.Trac(tmp_path)


def test_responses_of_trac_are_checked_for_their_content():
    asks = trac_operations.asks({}, TOLD)
    assert asks["list"][0].pieces == {b",defect,": 30, b"Newest": 1}
    assert "page=20" in asks["list-later"][0].request.path
    assert asks["list-later"][0].pieces == {b",defect,": 30, b"Later": 1}
    assert "description=~common" in asks["filter"][0].request.path.replace("%7E", "~")
    assert asks["filter"][0].pieces[b"Found"] == 1
    assert asks["list-page"][0].pieces == {b'<td class="id">': 30, b"(2000 matches)": 1, b"Newest": 1}
    assert asks["search-page"][0].pieces == {b"of 700)": 1, b"Latest": 1}
    assert asks["ticket"][1].pieces[b"Comment"] == asks["ticket-page"][0].pieces[b"Comment"] == 1


def test_trac_is_filled_in_an_environment_of_the_run_with_a_log_that_is_written_ahead(monkeypatch, tmp_path):
    ran = []

    def run(name, words):
        ran.append(words)
        return "something else\nsession\n"

    monkeypatch.setattr(trac_tracker, "TOO_NEW", (99,))
    monkeypatch.setattr(trac_tracker, "fetched", lambda *_: tmp_path / "python")
    monkeypatch.setattr(trac_tracker, "run", run)
    trac = trac_tracker.Trac(tmp_path)
    trac.fill(tmp_path / "told", None)
    home = str(tmp_path / "trac")
    assert ran[0][:3] == [str(tmp_path / "trac-admin"), home, "initenv"]
    assert ran[0][-1].endswith("?journal_mode=WAL")
    assert ran[1][-2:] == [home, str(tmp_path / "told")]
    (sign_in,) = trac.sign_ins("ours", 4)
    assert sign_in.theirs["Cookie"].startswith("trac_auth=session;")


def test_a_change_whose_answer_says_nothing_is_verified_before_it_is_measured(monkeypatch):
    answers = {"PUT": Answer(204, {}, b"", 20), "GET": Answer(200, {}, b"as it was", 20)}
    monkeypatch.setattr(load, "ask", lambda _, request: answers[request.method])
    seen = beside_operations.Ask(Request("GET", "/"), {b"Changed": 1})
    change = beside_operations.Ask(Request("PUT", "/"), {}, status=204, then=seen)
    with pytest.raises(WrongAnswerError, match="update: GET / answers 200 without"):
        beside._checked("update", SimpleNamespace(port=1), change)
