"""The measurement beside another tracker: what it is told, and what is said of both."""

import json
import subprocess

import pytest

from bench import beside_data, beside_table, roundup_tracker, sample
from bench.load import Figures

LOGINS = {1: "ada@example.org", 2: "ben@example.org"}
OPENED, CHANGED = 1_262_304_013_250_400, 1_262_304_073_000_000
OURS, THEIRS = Figures(rate=200, p50=4, p99=9, cpu=2000), Figures(rate=50, p50=20, p99=40, cpu=18_000)


def test_a_ticket_is_told_with_its_people_by_login_and_a_message_for_each_version():
    row = (7, "Rain", "open", "roof gable", 2, None, 1, 2, OPENED, CHANGED)
    told = beside_data.ticket(row, [(7, 1, OPENED, "It drips."), (7, 2, CHANGED, "Still.")], LOGINS)
    assert (told["number"], told["title"], told["state"], told["importance"]) == (7, "Rain", "open", 2)
    assert (told["creator"], told["author"], told["assignee"]) == (LOGINS[1], LOGINS[2], None)
    assert told["tags"] == ["roof", "gable"]
    assert (told["opened"], told["changed"]) == ("2010-01-01T00:00:13.250", "2010-01-01T00:01:13.000")
    assert told["messages"][1] == {"author": LOGINS[2], "at": "2010-01-01T00:01:13.000", "text": "Still."}


def test_the_whole_sample_is_told_and_what_right_answers_have(tmp_path):
    sample.filled(f"sqlite:///{tmp_path / 'made.sqlite3'}", 100, shares=(1.0,))
    told = beside_data.tell(tmp_path / "made.sqlite3", tmp_path / "told.jsonl")
    people, *tickets = map(json.loads, (tmp_path / "told.jsonl").read_text().splitlines())
    assert len(people["people"]) == told.people == 20
    assert [each["number"] for each in tickets] == list(range(1, 101))
    assert max(tickets, key=lambda each: each["changed"])["title"] == told.newest
    assert sum("common" in each["messages"][0]["text"] for each in tickets) == told.with_word
    assert tickets[76]["messages"][2]["text"] == told.comment


def test_a_deed_of_two_requests_takes_the_time_of_both():
    both = beside_table.one_after_another([THEIRS, THEIRS])
    assert (both.rate, both.p50, both.p99, both.cpu) == (25, 40, 80, 36_000)


def test_a_line_has_both_sides_and_how_many_times_as_fast_we_are():
    pair = beside_table.Pair("list", "token", 16, OURS, THEIRS, 1000, 2000)
    line = beside_table.line(pair)
    said = "list token 16 | 200.0 4.00 9.00 2.00 1000 | 50.0 20.00 40.00 18.00 2000 | 4.0 9.0"
    assert " ".join(line.split()) == said
    assert len(line) == len(beside_table.HEAD)


def test_what_is_kept_names_each_measurement():
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


def test_where_pip_cannot_fetch_it_a_sentence_says_so_and_nothing_is_measured(monkeypatch, tmp_path):
    def refused(words, **_):
        return subprocess.CompletedProcess(words, 1, "", "ERROR: No matching distribution found")

    monkeypatch.setattr(roundup_tracker, "ENVIRONMENT", tmp_path)
    monkeypatch.setattr(subprocess, "run", refused)
    with pytest.raises(SystemExit, match=r"nothing was measured.*No matching distribution found"):
        roundup_tracker.python()
