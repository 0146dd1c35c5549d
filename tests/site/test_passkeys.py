"""Signing in with a passkey, and what an attacker might send instead of one."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from skerry.database.transactions import HOUR, SECOND
from skerry.store.auth import factors, logins, passkeys
from skerry.tracker.audit import chain
from skerry.web.auth.guesses import GuessLimiter
from tests.conftest import PASSWORD, build_world
from tests.support.authenticator import PRESENT, VERIFIED, encoded
from tests.support.client import basic
from tests.support.passkeys import asked, in_person, passkey_of, sign_in

NOT_ACCEPTED = "This passkey was not accepted"


def refused(page, sentence=NOT_ACCEPTED):
    """Return whether nobody was signed in, with a sentence that says why."""
    return (page.status, page.path, sentence in page.text) == (401, "/sign-in", True)


@pytest.fixture
def device(world, ada):
    """A device with a passkey of Ada's."""
    return passkey_of(world, ada)


def test_a_passkey_signs_in_alone_and_leads_on(world, ada, surfing, device):
    web = surfing()
    page = sign_in(web, device, wanted="/profile")
    assert (page.status, page.path) == (200, "/profile")
    assert ("Telephone" in page.text, "not used yet" in page.text) == (True, False)
    used = in_person(world, ada).get("/profile/passkeys").items[0]
    assert used["used_at"]
    assert used["address"]
    chain.seal_new(world.database, [world.account_id])
    entries = ada.get("/administration/audit?kind=session.created").items
    assert entries[0]["credential"] == "passkey 1"


def test_a_passkey_counts_as_signing_in_again(world, surfing, device, monkeypatch):
    web = surfing()
    page = sign_in(web, device, wanted="/profile")
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + HOUR + 1)
    page = web.submit(page, "/profile/tokens", **{"token[note]": "night build"})
    assert (page.status, "Sign in again" in page.text) == (403, True)
    page = web.submit(page, "/sign-in", passkey=device.use(asked(web)))
    page = web.submit(page, "/profile/tokens")
    assert "shown only once" in page.text


def test_changes_of_passkeys_need_a_recent_sign_in(world, surfing, device, monkeypatch):
    web = surfing()
    page = sign_in(web, device, wanted="/profile")
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + HOUR + 1)
    for method, values in (("put", {"passkey[name]": "x"}), ("delete", {})):
        assert web.submit(page, "/profile/passkeys/1", method, **values).status == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"said": {"type": "webauthn.create"}},
        {"said": {"crossOrigin": True}},
        {"said": {"origin": None}},
        {"origin": "https://other.example"},
        {"origin": "https://evil.world1.example"},
        {"host": "other.example"},
        {"flags": VERIFIED},
        {"handle": b"somebody else"},
        {"key": ec.generate_private_key(ec.SECP256R1())},
        {"key": ec.generate_private_key(ec.SECP384R1())},
    ],
)
def test_what_is_not_signed_as_it_should_be_signs_nobody_in(world, surfing, device, wrong):
    device.origin = f"https://{world.host}"
    for name, value in wrong.items():
        setattr(device, name, value)
    assert refused(sign_in(surfing(), device))


def test_a_passkey_that_did_not_check_its_owner_is_refused(surfing, device):
    device.flags = PRESENT
    assert refused(sign_in(surfing(), device), "did not check that it is you")


@pytest.mark.parametrize(
    "wrong",
    [
        {"authenticatorData": ""},
        {"authenticatorData": encoded(bytes(36))},
        {"authenticatorData": 5},
        {"signature": encoded(bytes(70))},
        {"signature": None},
        {"userHandle": None},
        {"userHandle": []},
        {"clientDataJSON": encoded(b"[" * 5000)},
        {"clientDataJSON": "é"},
    ],
)
def test_damaged_answers_are_refused(surfing, device, wrong):
    assert refused(sign_in(surfing(), device, **wrong))


@pytest.mark.parametrize(
    "answer", ["-", "{}", "null", "[" * 9000, "x" * 20_000, '{"id": "\\u0000"}', '{"id": "YQ"}']
)
def test_an_unreadable_answer_is_refused(surfing, answer):
    web = surfing()
    assert refused(web.submit(web.get("/sign-in"), "/sign-in", passkey=answer))


def test_an_answer_works_once_and_only_in_its_browser_and_account(world, surfing, device):
    web, other = surfing(), surfing()
    page, elsewhere = web.get("/sign-in"), other.get("/sign-in")
    answer, kept = device.use(asked(web)), dict(web.cookies)
    stale = "This took too long, or was already used"
    assert refused(other.submit(elsewhere, "/sign-in", passkey=answer), stale)
    assert web.submit(page, "/sign-in", passkey=answer).path == "/"
    again = replace(web, cookies=kept)
    assert refused(again.submit(page, "/sign-in", passkey=answer), stale)
    neighbour = build_world(world.instance, world.log)
    there = replace(again, host=neighbour.host)
    assert refused(there.submit(page, "/sign-in", passkey=device.use(asked(again))), stale)
    assert refused(there.submit(page, "/sign-in", passkey=device.use(asked(there))), "not known here")


@pytest.mark.parametrize("seconds", [600, 601])
def test_an_answer_is_refused_after_ten_minutes(world, surfing, device, monkeypatch, seconds):
    web, now = surfing(), world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now)
    page, answer = web.get("/sign-in"), device.use(asked(web))
    monkeypatch.setattr(world.database, "clock", lambda: now + seconds * SECOND)
    page = web.submit(page, "/sign-in", passkey=answer)
    assert page.path == "/" if seconds == 600 else refused(page, "This took too long")


def test_answered_challenges_are_forgotten_when_they_are_too_old_anyway(world, surfing, device, monkeypatch):
    sign_in(surfing(), device)
    with world.database.write() as transaction:
        assert passkeys.remove_expired(transaction) == 0
    now = world.database.clock()
    monkeypatch.setattr(world.database, "clock", lambda: now + HOUR)
    with world.database.write() as transaction:
        assert passkeys.remove_expired(transaction) >= 1


def test_a_copied_passkey_is_found_by_its_counter(world, ada, surfing):
    device = passkey_of(world, ada, counter=5)
    copy = replace(device)
    assert sign_in(surfing(), device).path == "/"
    assert refused(sign_in(surfing(), copy), "as if somebody had copied it")
    assert sign_in(surfing(), device).path == "/"


def test_a_removed_passkey_and_that_of_a_disabled_login_are_not_known(world, ada, ben, surfing, device):
    bens = passkey_of(world, ben)
    anna = in_person(world, ada)
    assert anna.put(f"/people/{ben.user_id}", {"person": {"disabled": True}}).status == 200
    assert refused(sign_in(surfing(), bens), "not known here")
    anna.delete("/profile/passkeys/1")
    assert refused(sign_in(surfing(), device), "not known here")


def test_refused_passkeys_are_limited_like_passwords_and_logged(world, ada, surfing, device):
    web, good = surfing(), replace(device)
    device.key = ec.generate_private_key(ec.SECP256R1())
    pages = [sign_in(web, device) for _ in range(GuessLimiter.ALLOWED[0] + 1)]
    assert [page.status for page in pages] == [401] * 10 + [429]
    assert int(pages[-1].headers["retry-after"]) > 0
    assert sign_in(web, good).status == 429
    world.instance.refusals.write(ending=True)
    chain.seal_new(world.database, [world.account_id])
    (entry,) = ada.get("/administration/audit?kind=sign_in.refused").items
    assert (entry["details"]["passkey"], entry["details"]["user_ids"]) == (10, str(ada.user_id))


def test_the_last_way_to_sign_in_stays(world, ada, surfing, device):
    web = surfing()
    sign_in(web, device)
    with world.write() as transaction:
        logins.change_password(transaction, logins.of_user(transaction, ada.user_id), "")
    page = web.submit(web.get("/profile"), "/profile/passkeys/1", "delete")
    assert (page.status, "your only way to sign in" in page.text) == (409, True)


def test_the_page_renames_and_removes_a_passkey(surfing, device):
    web = surfing()
    page = sign_in(web, device, wanted="/profile")
    page = web.submit(page, "/profile/passkeys/1", "put", **{"passkey[name]": "Old one"})
    assert "Old one" in page.text
    page = web.submit(page, "/profile/passkeys/1", "delete")
    assert "Old one" not in page.text


@pytest.mark.usefixtures("device")
def test_a_password_alone_is_then_not_enough(world, ada):
    refused = world.client(**basic(ada.email, PASSWORD)).get("/profile")
    assert (refused.status, "second factor" in refused.errors[0]) == (401, True)


def test_after_the_password_the_passkey_is_asked_for_and_signs_in(ada, surfing, device):
    web = surfing()
    page = web.sign_in(ada.email, PASSWORD, "/profile")
    assert page.path.startswith("/sign-in/factor")
    assert web.get("/profile").path.startswith("/sign-in")
    page = web.submit(page, "/sign-in", passkey=device.use(asked(web)))
    assert (page.status, page.path) == (200, "/profile")


def test_without_the_last_passkey_the_password_is_enough_again(surfing, ada, device):
    web = surfing()
    sign_in(web, device)
    web.submit(web.get("/profile"), "/profile/passkeys/1", "delete")
    assert surfing().sign_in(ada.email, PASSWORD).path == "/"


def test_a_passkey_stays_a_second_factor_without_the_app(surfing, ada, device, world):
    web = surfing()
    sign_in(web, device)
    with world.write() as transaction:
        factors.start(transaction, ada.user_id, "A" * 32)
        factors.confirm(transaction, ada.user_id, 1)
    web.submit(web.get("/profile"), "/profile/time-codes", "delete")
    assert surfing().sign_in(ada.email, PASSWORD).path.startswith("/sign-in/factor")


def test_an_administrator_who_resets_factors_removes_passkeys(world, ada, ben, surfing):
    device = passkey_of(world, ben)
    assert in_person(world, ada).delete(f"/people/{ben.user_id}/factors").status == 200
    assert refused(sign_in(surfing(), device), "not known here")
    assert surfing().sign_in(ben.email, PASSWORD).path == "/"


def test_a_passkey_is_what_an_account_demands(world, ada, surfing, device):
    account = {"account": {"factors_from": "2020-01-01"}}
    assert in_person(world, ada).put("/account", account).status == 200
    assert sign_in(surfing(), device, wanted="/profile").path == "/profile"


def test_asking_for_a_challenge_needs_nothing_and_stores_nothing(world, surfing):
    web = surfing()
    first, second = asked(web), asked(web)
    assert first["challenge"] != second["challenge"]
    assert (first["rpId"], first["userVerification"]) == (world.host, "required")
    assert "allowCredentials" not in first
