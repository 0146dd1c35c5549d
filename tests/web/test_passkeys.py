"""Passkeys of the caller: made by an authenticator, listed, renamed and removed."""

import pytest

from skerry.database.transactions import HOUR
from skerry.errors import NotFound
from skerry.tracker.audit import chain
from skerry.tracker.auth import passkey_challenges, passkeys
from skerry.tracker.auth.passkey_answers import BadAnswer, party_at
from tests.support.authenticator import BACKED_UP, PRESENT, VERIFIED, Authenticator, encoded
from tests.support.passkeys import in_person, make, passkey_of

pytestmark = pytest.mark.matrix("both")

WRONG = 422


@pytest.fixture
def anna(world, ada):
    """Ada at a browser."""
    return in_person(world, ada)


@pytest.fixture
def device(world):
    return Authenticator(world.host)


def test_a_passkey_is_made_listed_renamed_and_removed(world, anna):
    device = Authenticator(world.host, flags=PRESENT | VERIFIED | BACKED_UP)
    made = make(anna, device)
    assert (made.status, made.headers["location"].endswith(f"/profile/passkeys/1.{world.format}")) == (
        201,
        True,
    )
    (listed,) = anna.get("/profile/passkeys").items
    said = {"name": "Telephone", "transports": "internal hybrid", "backed_up": True, "used_at": None}
    assert {name: listed[name] for name in said} == said
    assert listed.keys().isdisjoint({"answer", "options"})
    place = f"/profile/passkeys/{listed['id']}"
    assert anna.put(place, {"passkey": {"name": "Old telephone"}}).item["name"] == "Old telephone"
    assert anna.get(place).item["name"] == "Old telephone"
    assert (anna.delete(place).status, anna.get("/profile/passkeys").items) == (200, [])


def test_passkeys_are_shown_only_to_their_owner(world, anna, ada, ben):
    make(anna, Authenticator(world.host))
    other = in_person(world, ben)
    assert other.get("/profile/passkeys").items == []
    assert [other.send(method, "/profile/passkeys/1").status for method in ("GET", "DELETE")] == [404, 404]
    assert other.put("/profile/passkeys/1", {"passkey": {"name": "Mine"}}).status == 404
    assert ada.get("/profile/passkeys").status == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"said": {"type": "webauthn.get"}},
        {"said": {"challenge": encoded(bytes(54))}},
        {"said": {"challenge": 5}},
        {"said": {"crossOrigin": True}},
        {"origin": "https://other.example"},
        {"origin": "http://127.0.0.1:8000"},
        {"flags": PRESENT},
        {"flags": VERIFIED},
        {"credential": b""},
        {"credential": bytes(2000)},
    ],
)
def test_what_a_browser_would_not_say_makes_no_passkey(anna, device, wrong):
    for name, value in wrong.items():
        setattr(device, name, value)
    refused = make(anna, device)
    assert (refused.status, len(refused.errors)) == (WRONG, 1), refused.body
    assert anna.get("/profile/passkeys").items == []


DEEP = b"\x81" * 9000

BROKEN = [
    b"",
    b"\xff",
    DEEP,
    b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\xbb\x7f\xff\xff\xff\xff\xff\xff\xff",
    b"\xc5\x82\x1b\x7f\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\xc4\x82\x1b\x7f\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x00",
    b"\xa3\x63fmt\x63tpm\x67attStmt\xa0\x68authData\x58\x25" + bytes(37),
]
"""CBOR that is damaged, deep, or says that it is huge."""


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_objects_are_refused(anna, device, broken):
    refused = make(anna, device, attestationObject=encoded(broken))
    assert (refused.status, refused.errors) == (
        WRONG,
        ["This passkey was not accepted. Try again, or sign in in another way"],
    )


@pytest.mark.parametrize("broken", BROKEN)
def test_keys_that_are_broken_or_no_keys_are_refused(anna, device, monkeypatch, broken):
    head = bytes(16) + len(device.credential).to_bytes(2, "big") + device.credential
    monkeypatch.setattr(device, "_attested", lambda: head + broken)
    assert make(anna, device).status == WRONG


@pytest.mark.parametrize("answer", ["", "-", "{}", "[]", "null", "7", '{"id": 5}', "[" * 9000, '{"id": "a"}'])
def test_an_unreadable_answer_is_refused(anna, answer):
    refused = anna.post("/profile/passkeys", {"passkey": {"name": "Telephone", "answer": answer}})
    assert refused.status == WRONG, refused.body
    assert anna.post("/profile/passkeys", {"passkey": {"name": "Telephone"}}).status == WRONG


def test_a_long_answer_is_refused_by_its_length(anna):
    refused = anna.post("/profile/passkeys", {"passkey": {"name": "Telephone", "answer": "x" * 16385}})
    assert refused.errors == ["Answer is too long (at most 16384 characters)"]


def test_an_answer_makes_one_passkey_for_one_person_in_time(world, anna, ben, monkeypatch):
    def sent(client, answer):
        return client.post("/profile/passkeys", {"passkey": {"name": "Key", "answer": answer}})

    options = anna.get("/profile/passkeys/new").item["options"]
    answer = Authenticator(world.host).make(options)
    assert sent(in_person(world, ben), answer).status == WRONG
    assert [sent(anna, answer).status for _ in range(2)] == [201, WRONG]
    late = Authenticator(world.host).make(anna.get("/profile/passkeys/new").item["options"])
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + HOUR // 6 + 2_000_000)
    assert sent(anna, late).errors == ["This took too long, or was already used. Try again"]


def test_a_challenge_is_for_one_purpose_and_one_person(world):
    with world.write() as transaction:
        challenge = passkey_challenges.new(transaction, "make", "1")
        passkey_challenges.check(transaction, challenge, "make", "1")
        for purpose, whose in (("use", "1"), ("make", "11"), ("", "make 1")):
            with pytest.raises(BadAnswer):
                passkey_challenges.check(transaction, challenge, purpose, whose)


def test_the_same_passkey_is_not_registered_twice(world, anna, ben):
    device = passkey_of(world, ben)
    refused = make(anna, device)
    assert (refused.status, refused.errors) == (409, ["This passkey is registered here already"])


def test_a_person_has_a_limited_number_of_passkeys(world, anna, monkeypatch):
    monkeypatch.setattr(passkeys, "MAX", 1)
    options = anna.get("/profile/passkeys/new").item["options"]
    make(anna, Authenticator(world.host))
    answer = Authenticator(world.host).make(options)
    assert anna.post("/profile/passkeys", {"passkey": {"name": "Second", "answer": answer}}).status == 409
    assert anna.get("/profile/passkeys/new").status == 404


@pytest.mark.parametrize(
    ("base", "host", "origins"),
    [
        ("https://tracker.example", "tracker.example", ["https://tracker.example"]),
        ("http://Tracker.example/below", "tracker.example", ["https://tracker.example"]),
        ("https://tracker.example:443", "tracker.example", ["https://tracker.example"]),
        ("https://tracker.example:8443", "tracker.example", ["https://tracker.example:8443"]),
        ("http://localhost:8000", "localhost", ["https://localhost:8000", "http://localhost:8000"]),
    ],
)
def test_passkeys_are_for_the_host_with_tls_or_on_this_machine(base, host, origins):
    assert party_at(base) == (host, origins)


@pytest.mark.parametrize("base", ["http://127.0.0.1:8000", "https://[::1]", "https://192.0.2.7/below", ""])
def test_a_number_instead_of_a_name_has_no_passkeys(base):
    with pytest.raises(NotFound, match="need a name"):
        party_at(base)


def test_changes_of_passkeys_are_logged_once(world, anna, ada):
    make(anna, Authenticator(world.host))
    for _ in range(2):
        assert anna.put("/profile/passkeys/1", {"passkey": {"name": "Old"}}).status == 200
    anna.delete("/profile/passkeys/1")
    chain.seal_new(world.database, [world.account_id])
    kinds = [entry["kind"] for entry in ada.get("/administration/audit").items]
    assert kinds[:3] == ["passkey.deleted", "passkey.updated", "passkey.created"]
