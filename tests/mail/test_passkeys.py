"""Mails about passkeys."""

from tests.mail.test_account_mails import verify
from tests.support.authenticator import Authenticator
from tests.support.passkeys import in_person, make


def test_a_new_and_a_removed_passkey_are_told(world, ada, post):
    verify(world, ada, post)
    anna = in_person(world, ada)
    make(anna, Authenticator(world.host), "Blue key")
    anna.delete("/profile/passkeys/1")
    mails = [message for _, message in post.deliver()]
    assert [mail["subject"] for mail in mails] == ["A new passkey", "A passkey was removed"]
    assert all("Blue key" in mail.get_body(("plain",)).get_content() for mail in mails)
