"""Damaged archives: damage is repaired and counted, or the import is refused with a sentence."""

import gzip
import json
import random

import pytest

from skerry.errors import Invalid, SkerryError
from skerry.store.transfer.archive import ArchiveError
from tests.cli import hosted
from tests.cli.archives import account_named, differences, place_of
from tests.cli.hosted import LEAK, packed, roof, ticket

RAW = json.dumps(ticket())


def damaged(old, new):
    """The file of a ticket with some of its text replaced, as bytes."""
    assert old in RAW
    return RAW.encode().replace(old.encode(), new if isinstance(new, bytes) else new.encode(), 1)


def importance(written):
    return damaged('"importance": null', f'"importance": {written}')


NO_NUMBER = "1 number was out of range or no number and was left out."
UNREADABLE = "1 value of {} could not be read and was left out."

MENDED = {
    "half a character of UTF-16": (damaged("Water, ", "hello \\ud83d "), "1 text had control characters"),
    "the other half": (damaged("Water, ", "hello \\ude00\\u0000"), "1 text had control characters"),
    "half an UTF-8 sequence": (damaged("Water, ", b"hello \xf0\x9f "), "1 file was not in UTF-8"),
    "a raw control character": (damaged("Water, ", "tab\tline\nbell\x07"), "1 text had control characters"),
    "a day that never was": (
        damaged(hosted.TIMESTAMP, "0000-00-00 00:00:00"),
        UNREADABLE.format("created_at"),
    ),
    "no number": (damaged("9999", "NaN"), NO_NUMBER),
    "less than all": (damaged("9999", "-Infinity"), NO_NUMBER),
    "a large number": (damaged("9999", "1e999"), NO_NUMBER),
    "a long number": (damaged("9999", "9" * 5000), NO_NUMBER),
    "a number beyond 64 bits": (importance("9" * 25), UNREADABLE.format("importance")),
    "a word for a number": (importance('"many"'), UNREADABLE.format("importance")),
    "a negative number": (importance("-3"), "1 importance was not a number from 0 to 2147483647"),
    "a name twice": (damaged('"priority": ', '"priority": 1, "priority": '), "1 object has a name twice"),
    "a list for a title": (damaged('"It leaks"', '["It leaks"]'), UNREADABLE.format("title")),
    "a word for a flag": (damaged('"closed": true', '"closed": "?"'), UNREADABLE.format("closed")),
}


@pytest.mark.parametrize("name", MENDED)
def test_one_damaged_value_is_replaced_and_counted(take, source, name):
    raw, sentence = MENDED[name]
    said = take(roof(**{LEAK: raw}))
    assert sentence in said
    assert "Imported 1 project, 1 ticket with 2 versions" in said
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert all(ord(each) < 0xD800 or ord(each) > 0xDFFF for each in found["versions"][0]["body"])
    assert differences(source.instance) == []


def test_half_a_character_in_html_does_no_harm(take, source):
    """HTML of an archive is not stored, but it is kept until its references are known."""
    assert "U+FFFD" not in take(roof(**{LEAK: damaged("<script>", "\\ud83d")}))
    found = source.people["ada"].get("/projects/31/tickets/12").item
    assert found["versions"][0]["body"].startswith("Water, ")


CHANGED = {
    "{} title was longer than 255 characters": {"title": "x" * 300},
    "{} name of states had characters that a state cannot have": {"state": "in progress!"},
    "{} tag without a visible character was left out": {"tag": "\u3164, rain"},
    "{} blank title is now Untitled": {"title": "\u200b"},
    "{} earlier assignee is unknown": {"diffable_attributes": {"assigned_user": 99}},
    "{} value of diffable_attributes could not be read": {"diffable_attributes": "--- {}"},
    "{} old value of a version was too long": {"diffable_attributes": {"title": "x" * 10_001}},
}


@pytest.mark.parametrize("sentence", CHANGED)
def test_an_import_reports_every_change_of_a_version(take, sentence):
    versions = [hosted.VERSION, {**hosted.REPLY, **CHANGED[sentence]}]
    alone = {name: hosted.REPLY[name] for name in CHANGED[sentence]}
    assert sentence.format(1) in take(roof(**{LEAK: ticket(versions=versions, **alone)}))


@pytest.mark.matrix("databases")
def test_an_import_reports_every_other_change(take):
    dora = {"id": 7, "name": "D\u00f6r\nte", "website": "ftp://x", "job": "y" * 300}
    member = {"membership": {"id": 70, "user_id": 8}}
    said = take(
        roof(
            **{
                "users/7-x/user.json": {"user": dora, "details": {"role": "king", "created_at": -5}},
                "projects/31-roof/project.json": {"project": {**hosted.PROJECT, "license": "x" * 300}},
                "projects/31-roof/memberships.json": {
                    "memberships": [member, {"membership": {"user_id": 8}}]
                },
                "projects/31-roof/bins/4-x.json": {
                    "ticket_bin": {"id": 4, "name": "Open", "query": "state:open", "position": -1},
                    "details": {"default_for": [99]},
                },
                LEAK: ticket(attachments=[{"attachment": {**hosted.FILE, "filename": "roof.txt?"}}]),
                "projects/31-roof/tickets/12-it-leaks/roof.txt": None,
                "projects/31-roof/tickets/12-it-leaks/roof.txt?": b"tiles",
            }
        )
    )
    for sentence in (
        "1 title or name was too long",
        "1 license was longer than 255 characters",
        "1 name of a person had",
        "1 website of people is not valid",
        "1 role does not exist here",
        "1 person joined before 1970",
        "1 membership is of nobody known, or is there twice",
        "1 default bin is of nobody known",
        "1 position of a bin was out of range",
        "1 file has a name that cannot be used here",
    ):
        assert sentence in said


def test_a_large_importance_is_kept(take, source):
    versions = [{**hosted.VERSION, "importance": 2**31 - 1}]
    assert "importance" not in take(roof(**{LEAK: ticket(versions=versions)}))
    assert source.people["ada"].get("/projects/31/tickets/12").item["importance"] == 2**31 - 1


@pytest.mark.parametrize("seed", range(25))
def test_random_damage_is_reported_or_refused_with_a_sentence(run, source, tmp_path, seed):
    chance = random.Random(seed)
    path = packed(tmp_path / "acme.tar.gz", roof())
    raw = bytearray(gzip.decompress(path.read_bytes()).rstrip(b"\0"))
    for _ in range(chance.randint(1, 6)):
        place = chance.choice([chance.randrange(len(raw)), raw.find(b"{", chance.randrange(len(raw)))])
        raw[place : place + chance.choice([0, 1, 1, 8])] = chance.choice(
            [b"", b"\xff", b"\0", b"9" * 30, b'"', b"}", b"null", bytes([chance.randrange(256)])]
        )
    path.write_bytes(bytes(raw) + bytes(20_480))
    try:
        said = run(place_of(source), "import", path, "--account", account_named(source), "--dry-run")
    except (SkerryError, ArchiveError) as error:
        said = str(error)
    assert said.strip()


def test_invalid_json_is_refused_with_file_and_line(take, source):
    with pytest.raises(Invalid, match=r"ticket.json cannot be used: The JSON .*line 1, column"):
        take(roof(**{LEAK: RAW[:-40].encode()}))
    assert source.people["ada"].get("/projects").items == []
