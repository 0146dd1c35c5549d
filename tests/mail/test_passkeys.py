"""Mails about passkeys, and what a mailed link does to those of others."""

from tests.conftest import PASSWORD
from tests.mail.test_account_mails import verify
from tests.support.authenticator import Authenticator
from tests.support.client import basic
from tests.support.mail_server import link_in
from tests.support.passkeys import in_person, make

NEW = "a boat full of rope"


def test_a_new_and_a_removed_passkey_are_told(world, ada, post):
    verify(world, ada, post)
    anna = in_person(world, ada)
    make(anna, Authenticator(world.host), "Blue key")
    anna.delete("/profile/passkeys/1")
    mails = [message for _, message in post.deliver()]
    assert [mail["subject"] for mail in mails] == ["A new passkey", "A passkey was removed"]
    assert all("Blue key" in mail.get_body(("plain",)).get_content() for mail in mails)


def test_a_mailed_link_ends_the_passkeys_of_whoever_chose_the_password_before(world, ada, post, monkeypatch):
    monkeypatch.setattr(world.database, "mail", None)
    invited = {"invitation": {"email": "eve@example.org", "role": "member"}}
    path = f"/welcome/{in_person(world, ada).post('/invitations', invited).item['url'].rpartition('/')[2]}"
    assert world.client().post(path, {"welcome": {"name": "Eve", "password": PASSWORD}}).status == 200
    make(world.client(**basic("eve@example.org", PASSWORD)), Authenticator(world.host))
    monkeypatch.setattr(world.database, "mail", post.settings)
    world.client().post("/password-reset", {"password_reset": {"email": "eve@example.org"}})
    ((_, message),) = post.deliver()
    assert world.client().post(link_in(message), {"new_password": {"password": NEW}}).status == 200
    assert world.client(**basic("eve@example.org", NEW)).get("/profile/passkeys").items == []
