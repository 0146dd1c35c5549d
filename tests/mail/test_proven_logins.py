"""Mailed links prove who owns an address, and end credentials that an inviter could know."""

import pytest

from skerry.store.auth import factors, identities, logins
from skerry.store.auth.account_logins import disable_everywhere
from skerry.store.people import people, preferences
from tests.conftest import PASSWORD, PASSWORD_HASH
from tests.mail.mails import address_of, mail, verify, with_proof
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.mail_server import Post, link_in

pytestmark = pytest.mark.matrix("both")

NEW, OWN = "a shed full of rope", "a boat full of sails"


@pytest.fixture
def email(world):
    """The address of somebody whom Ada invited where no mail was sent, so that she knows the password."""
    email = f"dora@mail.{world.host}"
    path = "/welcome/" + invite(world, email, role="member").item["url"].rpartition("/")[2]
    assert accept(world, path, NEW).status == 200
    return email


@pytest.fixture
def sent(world, email, server, monkeypatch):
    """Mail out of the world, which is set up once she was invited."""
    post = Post(world, server)
    monkeypatch.setattr(world.database, "mail", post.settings)
    return post


def invite(world, email, **fields):
    ada = world.client(**basic(world.people["ada"].email, PASSWORD))
    return ada.post("/invitations", {"invitation": {"email": email, **fields}})


def accept(world, path, password, **credentials):
    welcome = {"welcome": {"name": "Dora", "password": password}}
    return world.client(**credentials).post(path, welcome)


def status(world, email, password):
    return world.client(**basic(email, password)).get("/profile").status


def mailed(post):
    ((_, message),) = post.deliver()
    return link_in(message)


def asked_on_the_profile(world, email, post):
    assert world.client(**basic(email, NEW)).post("/profile/verification").status == 200
    return mailed(post)


def forgotten(world, email, post):
    world.client().post("/password-reset", {"password_reset": {"email": email}})
    return mailed(post)


def reset(world, path):
    return world.client().post(path, {"new_password": {"password": OWN}})


@pytest.mark.parametrize("ask", [asked_on_the_profile, forgotten])
def test_proof_makes_a_login_valid_everywhere_and_ends_what_was_known_of_it(world, other, email, sent, ask):
    inviter = world.client(**basic(email, NEW))
    token = inviter.post("/profile/tokens", {"token": {"note": "Kept"}}).item["token"]
    assert reset(world, ask(world, email, sent)).status == 200
    assert [status(each, email, OWN) for each in (world, other)] == [200, 200]
    assert status(world, email, NEW) == 401
    assert world.client(**{"X-ServiceToken": token}).get("/profile").status == 401
    owner = world.client(**basic(email, OWN))
    assert owner.get("/profile/preferences").item["email_verified"] is True


def test_proof_ends_second_factors_and_links_to_providers_of_others(world, email, sent):
    with world.write() as transaction:
        user_id = logins.with_email(transaction, email).user_id
        factors.need(transaction, user_id, needed=True)
        issuer = "https://login.example"
        identities.add(
            transaction, user_id, provider="harbour", issuer=issuer, subject="somebody else", email=""
        )
    assert reset(world, forgotten(world, email, sent)).status == 200
    assert status(world, email, OWN) == 200
    with world.write() as transaction:
        assert identities.of_user(transaction, user_id) == []


def test_a_mailed_password_of_an_administrator_proves_a_login_too(world, other, email, sent):
    made = invite(world, email).item
    assert "url" not in made
    assert accept(world, mailed(sent), OWN).status == 200
    assert [status(each, email, OWN) for each in (world, other)] == [200, 200]
    assert status(world, email, NEW) == 401


def test_a_mailed_invitation_makes_a_login_of_the_whole_server(world, other, post):
    email = f"emil@{world.host}"
    assert "url" not in invite(world, email, role="member").item
    assert accept(world, mailed(post), OWN).status == 200
    assert [status(each, email, OWN) for each in (world, other)] == [200, 200]


def test_the_owner_of_an_address_is_told_to_use_the_present_login(world, other, post):
    ben = other.people["ben"]
    assert "url" not in invite(world, ben.email, role="member").item
    path = mailed(post)
    refused = accept(world, path, OWN)
    assert (refused.status, "Sign in with it" in refused.errors[0]) == (409, True)
    assert accept(world, path, "", **basic(ben.email, PASSWORD)).item["name"] == "Ben"


def test_the_login_of_one_account_stays_there_if_the_address_has_another(world, other, server, monkeypatch):
    ben = other.people["ben"]
    path = "/welcome/" + invite(world, ben.email, role="member").item["url"].rpartition("/")[2]
    accept(world, path, NEW)
    post = Post(world, server)
    monkeypatch.setattr(world.database, "mail", post.settings)
    assert reset(world, forgotten(world, ben.email, post)).status == 200
    assert [status(world, ben.email, each) for each in (NEW, PASSWORD, OWN)] == [401, 401, 200]
    assert [status(other, ben.email, each) for each in (NEW, PASSWORD, OWN)] == [401, 200, 401]


def test_a_mailed_password_ends_those_of_single_accounts(world, ben, server, monkeypatch):
    path = "/welcome/" + invite(world, ben.email).item["url"].rpartition("/")[2]
    accept(world, path, NEW)
    post = Post(world, server)
    monkeypatch.setattr(world.database, "mail", post.settings)
    assert reset(world, forgotten(world, ben.email, post)).status == 200
    assert [status(world, ben.email, each) for each in (NEW, PASSWORD, OWN)] == [401, 401, 200]
    assert ben.get("/profile").status == 401


def test_an_invited_login_does_not_stand_for_the_owner_of_its_address_in_mail(world, ada, email, sent, roof):
    to = address_of(world, roof)
    refused = ada.post("/mail", with_proof(mail(email, to)))
    assert "Verify your address" in refused.item["reason"]
    with world.write() as transaction:
        assert not preferences.verify(transaction, ada.user_id, email)


def test_nothing_tells_an_inviter_whether_an_address_has_a_login_elsewhere(world, other, ada, post, roof):
    ben, told = other.people["ben"], []
    verify(other, ben)
    for email in (ben.email, f"dora@{other.host}"):
        made = invite(world, email, role="member")
        asked = world.client().post("/password-reset", {"password_reset": {"email": email}})
        refused = ada.post("/mail", with_proof(mail(email, address_of(world, roof)))).item
        (_, message), (_, _answer) = post.deliver()
        seen = world.client().get(link_in(message)).item
        found = ada.get(f"/projects/{roof}/tickets?q=reported_by:{email}")
        assert seen.pop("email") == email
        told.append([made.status, sorted(made.item), asked.status, seen, refused["reason"], found.items])
    assert told[0] == told[1]


@pytest.mark.parametrize("takes_all", [True, False])
@pytest.mark.parametrize("place", ["roof", "harbour"])
def test_no_mail_tells_its_sender_whether_an_address_has_a_login_elsewhere(
    world, other, ada, request, place, takes_all
):
    project, told = request.getfixturevalue(place), []
    ada.put(f"/projects/{project}/settings", {"settings": {"mail_from_anyone": takes_all}})
    verified, disabled = other.people["ben"], other.people["ada"]
    verify(other, verified, disabled)
    with other.write() as transaction:
        disable_everywhere(transaction, disabled.user_id)
    for email in (verified.email, disabled.email, other.people["cy"].email, f"dora@{other.host}"):
        done = ada.post("/mail", with_proof(mail(email, address_of(world, project)))).item
        made = ada.get(f"/projects/{project}/tickets/{done['number']}").item if done["number"] else {}
        told.append([done["result"], done["reason"], done["answered"], made.get("creator_name")])
    assert all(each == told[0] for each in told)


def test_a_reply_to_a_member_does_not_reveal_that_the_address_is_verified_elsewhere(
    world, other, ada, email, sent, roof
):
    to = address_of(world, roof)
    before = ada.post("/mail", with_proof(mail(email, to))).item["reason"]
    with other.write() as transaction:
        elsewhere = people.add(transaction, email, "Dora", PASSWORD_HASH)
        assert preferences.verify(transaction, elsewhere, email)
    assert ada.post("/mail", with_proof(mail(email, to))).item["reason"] == before


def test_the_page_says_that_a_link_is_mailed_and_does_not_show_it(world, post):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(world.people["ada"].email, PASSWORD)
    sent = {"invitation_batch[emails]": f"emil@{world.host}", "invitation_batch[role]": "member"}
    page = web.press(web.get("/administration"), "Send invitation", **sent)
    assert "is sent by mail" in page.text
    assert "/welcome/" not in page.source
