"""Accounts that demand that their members sign in with a provider, by the interface."""

import pytest

from skerry.store.auth import sessions
from skerry.store.people import single_sign_on
from skerry.tracker.secrets import hash_token
from skerry.web.auth import browser
from tests.conftest import PASSWORD
from tests.support.client import basic

pytestmark = pytest.mark.matrix("both")


def at_browser(world, who, provider=None):
    """Return somebody at a browser in which they signed in with a provider, or without one."""
    secret = browser.new_secret()
    with world.write() as transaction:
        sessions.add(transaction, who.user_id, hash_token(secret), agent="", address="", provider=provider)
    return world.client(**{"Cookie": f"skerry={secret}", "X-CSRF-Token": browser.proof_of(secret)})


def by_password(world, who):
    return world.client(**basic(who.email, PASSWORD))


@pytest.fixture
def demanded(world):
    with world.write() as transaction:
        single_sign_on.demand(transaction, demanded=True)


def test_a_provider_is_demanded_by_whoever_signed_in_with_one(world, ada, ben):
    wanted = {"account": {"single_sign_on": True}}
    for client in (by_password(world, ada), at_browser(world, ada)):
        refused = client.put("/account", wanted)
        assert refused.status == 409, refused.body
        assert refused.errors[0].startswith("Sign in with a provider in this browser first")
    open_here, other = at_browser(world, ada, "corp"), at_browser(world, ben)
    assert open_here.put("/account", wanted).item["single_sign_on"] is True
    # Browsers that Ben opened with his password are closed.
    assert other.get("/profile").status == 401
    assert open_here.get("/profile").status == ada.get("/profile").status == 200
    assert open_here.put("/account", {"account": {"single_sign_on": False}}).status == 200
    assert by_password(world, ben).get("/profile").status == 200


@pytest.mark.usefixtures("demanded")
def test_passwords_of_members_do_not_work_and_their_tokens_do(world, ada, ben):
    refused = by_password(world, ben).get("/profile")
    assert refused.status == 401
    assert "sign in with a provider, and programs with tokens" in refused.errors[0]
    assert ben.get("/profile").item["name"] == "Ben"
    # Nobody learns whose address is known.
    assert world.client(**basic("x@y.example", PASSWORD)).get("/profile").errors == refused.errors
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    dora = world.person("dora")
    assert by_password(world, dora).get("/profile").status == 200, "a guest"
    world.join(project, dora)
    assert by_password(world, dora).get("/profile").status == 401


@pytest.mark.usefixtures("demanded")
def test_a_guest_who_becomes_a_member_signs_in_with_the_provider(world, ada):
    dora = world.person("dora")
    open_here, there = at_browser(world, dora), at_browser(world, dora, "corp")
    assert open_here.get("/profile").status == 200
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    world.join(project, dora)
    assert (open_here.get("/profile").status, there.get("/profile").status) == (401, 200)


@pytest.mark.usefixtures("demanded")
def test_members_get_no_passwords(world, ada, ben):
    administrator = at_browser(world, ada, "corp")
    invited = administrator.post("/invitations", {"invitation": {"email": ben.email}})
    assert (invited.status, "need no password here" in invited.errors[0]) == (409, True)
    fresh = {"password": {"present": PASSWORD, "new": "a boat full of rope"}}
    changed = at_browser(world, ben, "corp").put("/profile/password", fresh)
    assert (changed.status, "need no password here" in changed.errors[0]) == (409, True)


@pytest.mark.usefixtures("demanded")
def test_an_invitation_is_accepted_after_signing_in_with_the_provider(world, ada):
    dora = world.person("dora")
    invited = {"invitation": {"email": dora.email, "role": "member"}}
    place = at_browser(world, ada, "corp").post("/invitations", invited).item["url"]
    link = place[place.index("/welcome/") :]
    welcome = {"welcome": {"name": "Dora", "password": PASSWORD}}
    for client in (world.client(), at_browser(world, dora)):
        refused = client.post(link, welcome)
        assert (refused.status, "open the invitation again" in refused.errors[0]) == (409, True)
    there = at_browser(world, dora, "corp")
    assert there.post(link, welcome).status == 200
    assert there.get("/profile").status == 200
