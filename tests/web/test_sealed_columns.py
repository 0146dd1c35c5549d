"""Secrets in the database: encrypted, bound to their rows, and read again whatever they were before."""

import json
from contextlib import contextmanager

import pytest

from skerry.sealing.key_ring import KeyRing, new_key
from skerry.store import accounts
from skerry.store.auth import sessions
from skerry.tracker import secret_keys
from tests.conftest import build_world
from tests.support.pushes import hook as forge
from tests.support.pushes import push, pushed

pytestmark = pytest.mark.matrix("both")

HOOK = {"hook": {"url": "https://hooks.example/services/T000/s3cr3ts3cr3t", "query": ""}}


@pytest.fixture
def alone(own_instance, database_and_format):
    """A world on an instance of its own, whose keys a test may change."""
    instance, log = own_instance
    return build_world(instance, log, database_and_format[1])


@pytest.fixture
def owner(alone):
    return alone.people["ada"]


@pytest.fixture
def shed(owner):
    return owner.post("/projects", {"project": {"name": "Shed"}}).item["id"]


def stored(world):
    """Everything that the tables with secrets hold of an account, as one text."""
    rows = []
    with world.database.read(world.account_id) as transaction:
        for name, account in (("hooks", "account_id"), ("forges", "account_id"), ("accounts", "id")):
            columns = "mail_secret, mail_secret_before" if name == "accounts" else "*"
            rows += transaction.sql(f"SELECT {columns} FROM {name} WHERE {account} = ?", [world.account_id])
    return json.dumps([list(row) for row in rows])


def execute(world, statement, *values):
    with world.database.write(world.account_id) as transaction:
        transaction.sql(f"{statement} RETURNING 1", values)


def mail_secrets(world):
    with world.database.read(world.account_id) as transaction:
        return accounts.mail_secrets(transaction)


@contextmanager
def with_keys(world, keys):
    before, world.database.keys = world.database.keys, keys
    try:
        yield
    finally:
        world.database.keys = before


def test_no_secret_stands_in_the_database_as_it_is(alone, owner, shed):
    hook, pusher = owner.post(f"/projects/{shed}/hooks", HOOK).item, forge(owner, shed, "github")
    newer = owner.post(f"/projects/{shed}/hooks/{hook['id']}/secret").item["secret"]
    mails = mail_secrets(alone)
    with alone.write() as transaction:
        accounts.renew_mail_secret(transaction)
    assert mail_secrets(alone)[1:] == mails
    kept = stored(alone)
    for secret in (hook["secret"], newer, pusher["secret"], "s3cr3t", *mail_secrets(alone)):
        assert secret not in kept
    # Two of the hook and its address, two that sign addresses of mail, and one of the forge.
    assert kept.count('"sealed:') == 6
    assert owner.get(f"/projects/{shed}/hooks/{hook['id']}").item["url"] == "https://hooks.example/…cr3t"
    changed = {"hook": {"url": "https://hooks.example/services/T000/0th3r0th3r"}}
    owner.put(f"/projects/{shed}/hooks/{hook['id']}", changed)
    assert "0th3r" not in stored(alone)


def test_a_secret_copied_to_another_row_is_not_accepted_there(alone, owner, shed):
    first, second = forge(owner, shed, "github"), forge(owner, shed, "gitea")
    assert pushed(owner, first, push()).status == 200
    execute(
        alone,
        "UPDATE forges SET secret = (SELECT other.secret FROM forges AS other WHERE other.account_id = ? "
        "AND other.id = ?) WHERE account_id = ? AND id = ?",
        alone.account_id,
        first["id"],
        alone.account_id,
        second["id"],
    )
    refused = pushed(owner, {**second, "secret": first["secret"]}, push())
    assert (refused.status, refused.errors) == (
        503,
        ["A stored secret was changed outside of Skerry, and cannot be read. Make a new one"],
    )
    again = owner.post(f"/projects/{shed}/forges/{second['id']}/secret").item
    assert pushed(owner, {**second, "secret": again["secret"]}, push()).status == 200


def test_secrets_from_before_are_encrypted_at_the_start_and_go_on_working(alone, owner, shed):
    with with_keys(alone, KeyRing()):
        execute(
            alone,
            "UPDATE accounts SET secrets_key = NULL, mail_secret = ? WHERE id = ?",
            "ab" * 32,
            alone.account_id,
        )
        hook, pusher = owner.post(f"/projects/{shed}/hooks", HOOK).item, forge(owner, shed, "github")
    assert all(secret in stored(alone) for secret in (hook["secret"], "s3cr3t"))
    assert pushed(owner, pusher, push()).status == 200
    assert secret_keys.prepare(alone.database) == ""
    plain = (hook["secret"], pusher["secret"], "s3cr3t", "ab" * 32)
    assert not any(secret in stored(alone) for secret in plain)
    assert owner.get(f"/projects/{shed}/hooks").items[0]["url"] == "https://hooks.example/…cr3t"
    assert mail_secrets(alone) == ["ab" * 32]
    assert pushed(owner, pusher, push()).status == 200
    before = stored(alone)
    assert secret_keys.prepare(alone.database) == ""
    assert stored(alone) == before


def test_without_the_key_a_sentence_says_so_and_the_rest_goes_on(alone, owner, shed, tmp_path):
    hook, pusher = owner.post(f"/projects/{shed}/hooks", HOOK).item, forge(owner, shed, "github")
    with with_keys(alone, KeyRing(folder=tmp_path / "elsewhere")):
        assert "their key is missing" in secret_keys.prepare(alone.database)
        for answer in (
            pushed(owner, pusher, push()),
            owner.post(f"/projects/{shed}/hooks", HOOK),
            owner.post(f"/projects/{shed}/hooks/{hook['id']}/secret"),
        ):
            assert (answer.status, answer.errors[0][:38]) == (503, "The key of stored secrets is missing o")
        for path in ("/projects", f"/projects/{shed}/hooks", f"/projects/{shed}/forges", "/hooks"):
            assert owner.get(path).status == 200
        assert owner.post(f"/projects/{shed}/tickets", {"ticket": {"title": "Leak"}}).status == 201
        # It makes no key of its own, with which others could read nothing.
        assert not (tmp_path / "elsewhere").exists()
    assert pushed(owner, pusher, push()).status == 200


def test_another_key_is_refused_in_one_sentence(alone, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "secret.key").write_text(new_key())
    for keys, name in ((KeyRing(new_key()), "SKERRY_SECRET_KEY"), (KeyRing(folder=other), "secret.key")):
        with with_keys(alone, keys), pytest.raises(Exception, match=name) as refused:
            secret_keys.prepare(alone.database)
        assert str(refused.value).endswith("or give up what it encrypted with 'skerry secrets reset'")


def test_the_file_of_the_key_is_made_once_for_its_owner_only(alone):
    file = alone.instance.settings.data / "secret.key"
    assert (file.stat().st_mode & 0o777, len(file.read_text())) == (0o600, 65)
    before = file.read_text()
    with alone.database.write() as transaction:
        accounts.add(transaction, "Second", "second.example")
    assert file.read_text() == before
    with alone.database.read() as transaction:
        assert len(transaction.sql("SELECT DISTINCT secrets_key FROM accounts", [])) == 1


def token_of(world, who, session_id):
    """Return the ID token of a session as it stands in the database, and as it is read."""
    with world.database.read(world.account_id) as transaction:
        ((kept,),) = transaction.sql(
            "SELECT id_token FROM sessions WHERE account_id = ? AND id = ?", [world.account_id, session_id]
        )
        return kept, sessions.provider_of(transaction, who.user_id, session_id)


def test_id_tokens_are_encrypted_renewed_with_the_key_and_forgotten_without_it(alone, owner):
    began = {"agent": "", "address": "", "provider": "corp"}
    with alone.write() as transaction:
        session_id = sessions.add(transaction, owner.user_id, "hash", id_token="a.b.c", **began)
    kept, read = token_of(alone, owner, session_id)
    assert (kept[:7], read) == ("sealed:", ("corp", "a.b.c"))
    execute(alone, "UPDATE sessions SET id_token = ? WHERE account_id = ?", "d.e.f", alone.account_id)
    assert token_of(alone, owner, session_id) == ("d.e.f", ("corp", "d.e.f"))
    secret_keys.prepare(alone.database)
    before, _ = token_of(alone, owner, session_id)
    assert secret_keys.rotate_file(alone.database) >= 1
    kept, read = token_of(alone, owner, session_id)
    assert (kept[:7], kept != before, read) == ("sealed:", True, ("corp", "d.e.f"))
    with with_keys(alone, KeyRing(new_key())):
        assert token_of(alone, owner, session_id) == (kept, ("corp", ""))
        secret_keys.reset(alone.database)
        assert token_of(alone, owner, session_id) == (None, ("corp", ""))
