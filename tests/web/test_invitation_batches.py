"""Invitations of several addresses at once."""

import pytest

from tests.conftest import PASSWORD
from tests.support.client import basic

pytestmark = pytest.mark.matrix("both")

PATH = "/invitations/batch"


@pytest.fixture
def inviting(ada):
    return ada.speaking(**basic(ada.email, PASSWORD))


def invite(client, emails, **fields):
    return client.post(PATH, {"invitation_batch": {"emails": emails, "role": "member", **fields}})


def test_those_that_can_be_invited_are_and_the_others_are_named(world, inviting, ben, roof):
    emails = [f"dora@{world.host}", "nowhere", ben.email, f"DORA@{world.host}"]
    batch = invite(inviting, emails, project_id=roof).item
    assert [each["email"] for each in batch["invitations"]] == [f"dora@{world.host}"]
    assert [each["email"] for each in batch["refusals"]] == emails[1:]
    assert "in the list twice" in batch["refusals"][-1]["reason"]
    assert [each["project_id"] for each in inviting.get("/invitations").items] == [roof]


def test_a_batch_is_bounded_and_needs_an_address_and_a_place(inviting):
    many = [f"p{number}@example.org" for number in range(51)]
    assert invite(inviting, many).errors == ["Emails can contain at most 50 addresses"]
    assert invite(inviting, [","]).errors == ["Emails can't be blank"]
    assert invite(inviting, many[:1], role="").errors == ["An invitation needs a role or a project"]
    assert invite(inviting, many[:1], project_id=987654).errors == ["Project is not in this account"]
    assert len(invite(inviting, many[:50]).item["invitations"]) == 50


def test_an_address_with_a_login_elsewhere_is_invited_like_any_other(inviting, cy):
    assert [each["email"] for each in invite(inviting, [cy.email]).item["invitations"]] == [cy.email]


def test_a_person_whose_login_is_disabled_is_not_invited(inviting, ben):
    inviting.put(f"/people/{ben.user_id}", {"person": {"disabled": True}})
    (refusal,) = invite(inviting, [ben.email]).item["refusals"]
    assert refusal["reason"] == "The login is disabled; enable it first"
