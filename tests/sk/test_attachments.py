"""Files of tickets, from a terminal."""

import json

import httpx
import pytest

from tests.support.client import Upload


@pytest.fixture
def ticket(ada, tickets):
    ada.post(tickets, {"ticket": {"title": "It leaks"}})
    return f"{tickets}/1"


@pytest.fixture
def stairs(tmp_path):
    file = tmp_path / "stairs.bin"
    file.write_bytes(bytes(range(256)) * 999)
    return file


def test_files_are_attached_with_a_comment_and_listed(sk, ada, ticket, stairs):
    other = stairs.with_name("Zoë & co")
    other.write_text("Dry.")
    said = sk.good("attach", 1, stairs, other, "--text", "Seen today.")
    assert said == "Attached stairs.bin, Zoë & co to #1\n"
    assert ada.get(ticket).item["versions"][-1]["body"] == "Seen today."
    rows = [line.split("\t")[1:3] for line in sk.good("attach", 1).splitlines()]
    assert rows == [["stairs.bin", "255744"], ["Zoë___co", "4"]]
    assert [file["size"] for file in json.loads(sk.good("attach", 1, "--json"))] == [255_744, 4]


def test_a_file_is_fetched_as_it_was_and_replaces_nothing(sk, ticket, stairs, tmp_path):
    sk.good("attach", 1, stairs)
    folder = tmp_path / "seen"
    folder.mkdir()
    assert sk.good("attach", 1, "--get", "stairs.bin", "-o", folder) == f"{folder}/stairs.bin\n"
    assert (folder / "stairs.bin").read_bytes() == stairs.read_bytes()
    code, sentence = sk.bad("attach", 1, "--all", "-o", folder)
    assert (code, sentence) == (1, f"{folder}/stairs.bin: File exists")


def test_a_file_without_an_ending_goes_to_standard_output(sk, ticket, tmp_path):
    (tmp_path / "README").write_text("Dry.\n")
    sk.good("attach", 1, tmp_path / "README")
    assert sk.good("attach", 1, "--get", "README", "--output", "-") == "Dry.\n"


def test_what_is_not_there_is_one_sentence(sk, ticket, stairs, tmp_path):
    sk.good("attach", 1, stairs)
    assert sk.bad("attach", 1, "--get", "nothing") == (
        1,
        "There is no file nothing; the ticket has stairs.bin",
    )
    assert sk.bad("attach", 9, stairs)[1].startswith("Ticket not found")
    assert sk.bad("attach", 1, tmp_path / "none")[0] == 2
    assert sk.bad("attach", 1, stairs, "--all") == (2, "Use either files or --get and --all")
    assert sk.bad("attach", 1, "--text", "x")[0] == 2


def test_a_file_that_does_not_come_whole_is_not_left_behind(sk, ada, ticket, tmp_path):
    ada.put(ticket, Upload("ticket[attachment][]", b"Wet.", "wet.txt"))
    sk.monkeypatch.setattr("httpx.Response.iter_bytes", lambda _answer: _cut())
    assert sk.bad("attach", 1, "--get", "wet.txt", "-o", tmp_path)[0] == 3
    assert not (tmp_path / "wet.txt").exists()


def _cut():
    yield b"We"
    raise httpx.ReadError("cut", request=httpx.Request("GET", "http://tracker.example"))
