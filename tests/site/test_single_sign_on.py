"""Accounts that demand that their members sign in with a provider, in a browser."""

import time

import pytest

from skerry.store.auth import logins
from skerry.store.people import single_sign_on
from skerry.tracker.audit import chain
from tests.conftest import PASSWORD, PASSWORD_HASH
from tests.support.client import basic
from tests.support.own_provider import come_back, leave, returning, served


@pytest.fixture
def demanded(world):
    with world.write() as transaction:
        single_sign_on.demand(transaction, demanded=True)


def recently(provider, who, **more):
    """Let the provider know somebody, who gives their password there."""
    provider.claims = {"email": who.email, "email_verified": True, "auth_time": int(time.time()), **more}


def test_an_administrator_demands_it_after_signing_in_with_it(world, ada, provider):
    recently(provider, ada)
    with served(world, provider) as web:
        web.sign_in(ada.email, PASSWORD)
        flag = {"account[single_sign_on]": "true"}
        refused = web.submit(web.get("/administration"), "/account", **flag)
        assert (refused.status, "Sign in with a provider in this browser first" in refused.text) == (
            409,
            True,
        )
        web.submit(refused, "/sign-out")
        come_back(web, provider)
        saved = web.submit(web.get("/administration"), "/account", **flag)
        assert dict(saved.form("/account").fields)["account[single_sign_on]"] == "true"
        assert "Account changed" in web.get("/administration/audit").text
        # A form of somebody who changes something else leaves it as it is.
        saved = web.submit(saved, "/account", **{"account[name]": "Harbour"})
        assert dict(saved.form("/account").fields)["account[single_sign_on]"] == "true"


@pytest.mark.usefixtures("demanded")
def test_the_sign_in_page_leads_to_the_provider_and_says_so(world, ben, provider):
    recently(provider, ben)
    with served(world, provider) as web:
        page = web.get("/sign-in")
        assert "Members of this site sign in with a provider." in page.text
        assert page.text.index("Sign in with Corp") < page.text.index("Guests")
        refused = web.sign_in(ben.email, PASSWORD)
        assert (refused.status, "programs with tokens" in refused.text) == (401, True)
        assert come_back(web, provider).path == "/"


def test_a_second_factor_is_not_demanded_of_who_came_by_a_provider(world, ada, ben, provider):
    in_person = world.client(**basic(ada.email, PASSWORD))
    assert in_person.put("/account", {"account": {"factors_from": "2020-01-01"}}).status == 200
    recently(provider, ben)
    with served(world, provider) as web:
        assert "requires a second factor" in web.sign_in(ben.email, PASSWORD).text
        web.cookies.clear()
        come_back(web, provider)
        assert web.get("/profile").path == "/profile"


@pytest.mark.usefixtures("demanded")
def test_without_a_provider_the_sign_in_page_names_the_way_back(surfing):
    text = surfing().get("/sign-in").text
    assert "this server has none for it" in text
    assert "skerry account allow-passwords" in text


@pytest.mark.usefixtures("demanded")
def test_an_invitation_leads_to_the_provider_and_back(world, ada, provider):
    with served(world, provider) as web:
        recently(provider, ada)
        come_back(web, provider)
        invited = {"invitation_batch[emails]": "dora@new.example"}
        made = web.submit(web.get("/administration"), "/invitations/batch", **invited)
        link = next(word for word in made.source.replace('"', " ").split() if "/welcome/" in word)
        link = link[link.index("/welcome/") :].partition("<")[0]
        web.submit(made, "/sign-out")
        provider.claims |= {"sub": "2", "email": "dora@new.example", "name": "Dora"}
        page = web.get(link)
        assert "Password" not in page.text
        welcome = web.get(returning(leave(web, provider, page)))
        assert web.submit(welcome, link).status == 200
        assert "Dora" in web.get("/profile").text
        # The session is that of the provider, so it stays.
        assert "Unlink" in web.get("/profile").text


@pytest.mark.usefixtures("demanded")
def test_a_login_that_is_not_confirmed_is_taken_over_without_its_password(world, provider):
    dora = world.person("dora", "member")
    with world.write() as transaction:
        # As by a link that was shown, which somebody else may have opened.
        login = logins.of_user(transaction, dora.user_id)
        logins.change_own_password(transaction, login, PASSWORD_HASH)
    recently(provider, dora)
    with served(world, provider) as web:
        assert come_back(web, provider).path == "/"
    assert dora.get("/profile").status == 401, "tokens of whoever chose the password"


@pytest.mark.usefixtures("demanded")
def test_the_only_provider_is_not_unlinked(world, ben, provider):
    recently(provider, ben)
    with served(world, provider) as web:
        come_back(web, provider)
        page = web.submit(web.get("/profile"), "/profile/identities/1")
    assert (page.status, "Link another one first" in page.text) == (409, True), page.text


def test_the_log_names_the_provider_for_all_that_it_decides(world, ada, provider):
    roles = {"bosses": "administrator", "staff": "member"}
    with served(world, provider, roles=roles, domains=frozenset({"new.example"})) as web:
        # Logins of providers are those of the server, which other tests use too.
        email = f"emil{world.account_id}@new.example"
        provider.claims = {"email": email, "email_verified": True, "groups": ["bosses"]}
        come_back(web, provider)
        web.submit(web.get("/profile"), "/sign-out")
        provider.claims["groups"] = ["staff"]
        come_back(web, provider)
    assert credentials(world, ada) == {
        **dict.fromkeys(
            ("identity.created", "person.added", "person.updated", "session.created"), "provider corp"
        ),
        "session.ended": "session 1",
    }


@pytest.mark.usefixtures("demanded")
def test_the_log_names_the_provider_that_ended_a_password(world, ada, provider):
    dora = world.person("dora", "member")
    with world.write() as transaction:
        logins.change_own_password(transaction, logins.of_user(transaction, dora.user_id), PASSWORD_HASH)
    recently(provider, dora)
    with served(world, provider) as web:
        come_back(web, provider)
    named = credentials(world, ada)
    assert {named[kind] for kind in ("password.changed", "token.revoked")} == {"provider corp"}


def credentials(world, ada):
    """Return the credential of each kind in the log."""
    chain.seal_new(world.database, [world.account_id])
    return {each["kind"]: each["credential"] for each in ada.get("/administration/audit").items}
