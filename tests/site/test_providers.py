"""Signing in with an OpenID Connect provider: a provider of tests over HTTP on this machine."""

import base64
import hashlib
import hmac
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest
from joserfc import jwk, jws

from skerry.oidc_settings import ProviderSettings
from skerry.openid import providers, transport
from skerry.store import accounts
from skerry.store.auth import account_logins, factors, identities, logins
from skerry.tracker import access
from skerry.web import provider_endpoints
from tests.conftest import PASSWORD, PASSWORD_HASH, build_world
from tests.support.client import basic
from tests.support.own_provider import (
    CLIENT,
    LEFT_OUT,
    Provider,
    begin,
    come_back,
    leave,
    returning,
    running,
    served,
)
from tests.support.processes import until


def test_a_login_with_the_verified_address_is_signed_in(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True, "name": "Ben"}
    with served(world, provider) as web:
        page = come_back(web, provider)
        assert (page.status, page.path) == (200, "/"), page.text
        assert "Ben" in web.get("/profile").text


@pytest.mark.parametrize("more", [{}, {"xms_edov": True}])
def test_an_address_that_is_not_verified_is_never_matched(world, ben, provider, more):
    provider.claims = {"email": ben.email, "email_verified": False, **more}
    with served(world, provider) as web:
        page = come_back(web, provider)
    assert (page.status, "did not confirm your e-mail address" in page.text) == (401, True), page.text


def test_the_list_of_a_provider_about_a_person_completes_their_token(world, ben, provider):
    """It counts for the same person and address only."""
    known = {"sub": "1", "email": ben.email, "email_verified": True}
    said = (
        ({}, {**known, "sub": "2"}, 401),
        ({"email": ben.email}, {**known, "email": "eve@evil.example"}, 401),
        ({"email": ben.email, "email_verified": False}, known, 401),
        ({}, known, 200),
    )
    for claims, info, status in said:
        provider.claims, provider.info = claims, info
        with served(world, provider) as web:
            assert come_back(web, provider).status == status, (claims, info)


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "other"},
        {"iss": "https://other.example"},
        {"nonce": "other"},
        {"exp": 1},
        {"iat": 9999999999},
        {"nbf": 9999999999},
        {"aud": [CLIENT, "other"]},
        {"azp": "other"},
        {"sub": ""},
        {"more": "x" * 20_000},
        *({name: LEFT_OUT} for name in ("aud", "exp", "iat", "iss", "nonce", "sub")),
    ],
)
def test_a_token_that_proves_nothing_signs_nobody_in(world, ben, provider, wrong):
    provider.claims = {"email": ben.email, "email_verified": True, **wrong}
    with served(world, provider) as web:
        page = come_back(web, provider)
    assert (page.status, "is not valid" in page.text) == (401, True), page.text


@pytest.mark.parametrize("claim", ["nonce", "email", "sub"])
def test_half_a_character_in_a_token_signs_nobody_in(world, ben, provider, claim):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider, domains=("example.org",)) as web:
        asked = begin(web, provider)
        claims = jws.extract_compact(provider.signed().encode()).payload
        wrong = json.dumps({**json.loads(claims), claim: "\ud800@example.org"}).encode()
        header = {"alg": "RS256", "kid": provider.key.kid}
        provider.token = jws.serialize_compact(header, wrong, provider.key)
        assert web.get(returning(asked)).status == 401


def test_another_key_is_refused_and_a_new_one_is_read(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    provider.listed = [jwk.RSAKey.generate_key(2048, {"kid": "one"})]
    with served(world, provider) as web:
        assert come_back(web, provider).status == 401
    provider.listed = []
    with served(world, provider) as web:
        assert come_back(web, provider).status == 200


def test_a_key_that_is_not_for_signatures_is_refused(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    for use, status in (("enc", 401), ("sig", 200)):
        provider.listed = [jwk.import_key({**provider.key.as_dict(private=False), "use": use})]
        with served(world, provider) as web:
            assert come_back(web, provider).status == status


def test_the_right_key_is_found_among_others_of_its_name(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    own, other = provider.key, jwk.RSAKey.generate_key(2048).as_dict(private=False)
    others = ({"use": "enc"}, {"alg": "RS512"}, {"kid": "other"})
    provider.listed = [*(jwk.import_key({**other, "kid": own.kid, **each}) for each in others), own]
    with served(world, provider) as web:
        assert come_back(web, provider).status == 200


def test_a_proxy_in_the_environment_sees_nothing_of_a_provider(world, ben, provider, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        assert come_back(web, provider).status == 200


@pytest.mark.parametrize("place", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
def test_nothing_is_sent_to_a_provider_in_clear_text(world, provider, place):
    provider.described = {place: "http://login.example/here"}
    with served(world, provider) as web:
        page = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
    assert (page.status, "login.example" in page.source) == (503, False)


def test_a_provider_that_is_down_leaves_the_password(world, ada, provider):
    provider.status = 500
    with served(world, provider) as web:
        page = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
        assert (page.status, "Corp does not respond" in page.text) == (503, True)
        assert web.sign_in(ada.email, "correct horse battery").status == 200


def test_a_state_works_once_and_only_in_its_browser(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        asked = begin(web, provider)
        address = returning(asked)
        kept, other = dict(web.cookies), replace(web, cookies={})
        assert other.get(address).status == 401
        assert web.get(address).status == 200
        assert replace(web, cookies=kept).get(address).status == 401


def test_groups_become_roles_anew_at_each_sign_in(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True, "groups": ["bosses"]}
    with served(world, provider, roles={"bosses": "administrator", "staff": "member"}) as web:
        come_back(web, provider)
        assert web.get("/administration").status == 200
        web.submit(web.get("/profile"), "/sign-out")
        provider.claims["groups"] = ["staff"]
        come_back(web, provider)
        assert web.get("/administration").status == 403


@pytest.mark.parametrize("roles", [{"staff": "member"}, {"staff": "member", "bosses": "owner"}])
def test_groups_take_the_account_from_nobody_who_is_needed_or_was_made_owner(world, ada, provider, roles):
    somebody = ada if "owner" in roles.values() else world.person("olga", "owner")
    provider.claims = {"email": somebody.email, "email_verified": True, "groups": ["staff"]}
    with served(world, provider, roles=roles) as web:
        come_back(web, provider)
        assert web.get("/administration").status == 200


def test_a_stranger_joins_by_an_allowed_domain_only(world, provider):
    provider.claims = {"email": f"dora@{world.host}", "email_verified": True, "name": "Dora"}
    with served(world, provider) as web:
        page = come_back(web, provider)
        assert (page.status, "do not belong to this site yet" in page.text) == (401, True), page.text
    with served(world, provider, domains=frozenset({world.host})) as web:
        assert come_back(web, provider).status == 200
        assert "Dora" in web.get("/profile").text


def test_an_answer_of_another_provider_is_refused(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        assert come_back(web, provider, iss="https://other.example").status == 401
        assert come_back(web, provider, iss=provider.base).status == 200


def test_an_answer_without_the_issuer_that_the_provider_promised_is_refused(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    provider.described = {"authorization_response_iss_parameter_supported": True}
    with served(world, provider) as web:
        assert come_back(web, provider).status == 401
        assert come_back(web, provider, iss=provider.base).status == 200


def test_access_is_changed_after_the_provider_has_asked_for_the_password_again(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        come_back(web, provider)
        refused = web.submit(web.get("/profile"), "/profile/tokens", **{"token[note]": "Crane"})
        assert (refused.status, "Sign in again" in refused.text) == (403, True), refused.text
        for when in (LEFT_OUT, int(time.time()) - 120):
            asked = leave(web, provider, refused)
            assert (asked["max_age"], asked["prompt"]) == ("0", "login")
            provider.claims["auth_time"] = when
            page = web.get(returning(asked))
            assert "did not say that you gave your password" in page.text, page.text
        asked = leave(web, provider, refused)
        # The clock of the provider may be slow.
        provider.claims["auth_time"] = int(time.time()) - 30
        assert web.get(returning(asked)).status == 200
        # The form is still in the first tab, whose page was made before.
        kept = web.press(refused, "I have signed in")
        made = web.submit(kept, "/profile/tokens")
        assert "shown only once" in made.text, made.text


def need_factor(transaction, login):
    factors.need(transaction, login.user_id, needed=True)


def choose_password_by_a_copied_link(transaction, login):
    logins.change_own_password(transaction, login, PASSWORD_HASH)


def disable(transaction, login):
    account_logins.disable(transaction, login.user_id)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (need_factor, "has a second factor"),
        (choose_password_by_a_copied_link, "is not confirmed yet"),
        (disable, "Your login is disabled here"),
    ],
)
def test_an_address_does_not_open_each_login_that_has_it(world, ben, provider, change, sentence):
    provider.claims = {"email": ben.email, "email_verified": True}
    with world.write() as transaction:
        change(transaction, logins.of_user(transaction, ben.user_id))
    with served(world, provider) as web:
        page = come_back(web, provider)
    assert (page.status, sentence in page.text) == (401, True), page.text
    with world.write() as transaction:
        assert identities.of_user(transaction, ben.user_id) == []


def test_a_provider_of_one_host_does_not_speak_for_logins_of_other_accounts(world, provider):
    neighbour = build_world(world.instance, world.log).people["ben"]
    provider.claims = {"email": neighbour.email, "email_verified": True}
    for hosts, status in ((frozenset({world.host}), 401), (frozenset(), 200)):
        with served(world, provider, hosts=hosts) as web:
            assert come_back(web, provider).status == status


@pytest.mark.parametrize("is_allowed", [False, True])
def test_a_login_of_another_account_becomes_a_member_by_an_allowed_domain_only(
    world, ada, provider, is_allowed
):
    email = build_world(world.instance, world.log).people["ben"].email
    provider.claims = {"email": email, "email_verified": True}
    domains = frozenset({email.rpartition("@")[2]}) if is_allowed else frozenset()
    with served(world, provider, domains=domains) as web:
        assert come_back(web, provider).status == 200
    assert (email in {person["email"] for person in ada.get("/people").items}) is is_allowed


@pytest.mark.parametrize("is_of_host", [False, True])
def test_whom_a_provider_of_one_host_adds_has_no_login_elsewhere(world, provider, is_of_host):
    email = f"dora@{world.host}"
    provider.claims = {"email": email, "email_verified": True}
    hosts = frozenset({world.host}) if is_of_host else frozenset()
    with served(world, provider, domains=frozenset({world.host}), hosts=hosts) as web:
        assert come_back(web, provider).path == "/"
    with build_world(world.instance, world.log).write() as transaction:
        assert (logins.with_email(transaction, email) is None) is is_of_host


def test_an_invitation_makes_nobody_a_member_before_it_is_accepted(world, ada, provider):
    in_person = world.client(**basic(ada.email, PASSWORD))
    invited = {"email": "dora@new.example", "role": "administrator"}
    assert in_person.post("/invitations", {"invitation": invited}).status == 201
    provider.claims = {"email": "dora@new.example", "email_verified": True}
    with served(world, provider) as web:
        assert come_back(web, provider).path == "/"
    assert "dora@new.example" not in {person["email"] for person in ada.get("/people").items}


def test_nobody_links_what_is_linked_to_somebody_else(world, ada, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        assert come_back(web, provider).path == "/"
        web.submit(web.get("/profile"), "/sign-out")
        web.sign_in(ada.email, PASSWORD)
        page = web.get(returning(leave(web, provider, web.get("/profile"))))
        assert (page.status, "is linked to another login here" in page.text) == (409, True), page.text
        assert "Link Corp" in web.get("/profile").text


def test_people_link_an_account_with_any_address_and_unlink_it(world, ben, provider):
    with served(world, provider) as web:
        web.sign_in(ben.email, PASSWORD)
        asked = leave(web, provider, web.get("/profile"))
        page = web.get(returning(asked))
        assert (page.path, "Unlink" in page.text) == ("/profile", True), page.text
        web.submit(page, "/sign-out")
        provider.claims["auth_time"] = int(time.time())
        assert come_back(web, provider).path == "/"
        web.submit(web.get("/profile"), "/profile/identities/1")
        assert "Link Corp" in web.get("/profile").text


def test_a_link_is_made_for_the_session_that_asked_for_it(world, ada, ben, provider):
    with served(world, provider) as web:
        web.sign_in(ben.email, PASSWORD)
        asked = leave(web, provider, web.get("/profile"))
        web.submit(web.get("/profile"), "/sign-out")
        web.sign_in(ada.email, PASSWORD)
        page = web.get(returning(asked))
        assert "already used or took too long" in page.text
        assert "Link Corp" in web.get("/profile").text


def demand_factor(world, monkeypatch):
    with world.write() as transaction:
        accounts.demand_factors(transaction, "2000-01-01")


def end_the_hour(world, monkeypatch):
    # The instance of these tests has a clock of its own.
    monkeypatch.setattr(access, "HOUR", -1)


@pytest.mark.parametrize("change", [demand_factor, end_the_hour])
def test_a_session_that_may_not_change_access_makes_no_link(world, ben, provider, monkeypatch, change):
    with served(world, provider) as web:
        web.sign_in(ben.email, PASSWORD)
        page = web.get("/profile")
        change(world, monkeypatch)
        assert "refresh" not in web.submit(page, "/sign-in/with/corp").headers


def test_an_attempt_ends_after_ten_minutes(world, ben, provider, monkeypatch):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        asked, now = begin(web, provider), time.time()
        monkeypatch.setattr(provider_endpoints, "time", SimpleNamespace(time=lambda: now + 602))
        page = web.get(returning(asked))
    assert (page.status, "already used or took too long" in page.text) == (401, True)


def test_the_only_way_to_sign_in_is_not_unlinked(world, provider):
    now = int(time.time())
    provider.claims = {"email": "dora@new.example", "email_verified": True, "auth_time": now}
    with served(world, provider, domains=frozenset({"new.example"})) as web:
        come_back(web, provider)
        page = web.submit(web.get("/profile"), "/profile/identities/1")
    assert (page.status, "your only way to sign in" in page.text) == (409, True), page.text


def test_an_address_that_somebody_else_had_there_is_not_matched(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        come_back(web, provider)
        web.submit(web.get("/profile"), "/sign-out")
        provider.claims["sub"] = "2"
        page = come_back(web, provider)
    assert (page.status, "linked to another account" in page.text) == (401, True), page.text


def test_the_same_name_at_another_issuer_is_somebody_else(world, ada, provider):
    provider.claims = {"email": ada.email, "email_verified": True}
    with served(world, provider) as web:
        assert come_back(web, provider).path == "/"
    with running(Provider(claims={"email": "sly@new.example", "email_verified": True})) as elsewhere:
        with served(world, elsewhere) as web:
            page = come_back(web, elsewhere)
        assert (page.status, "do not belong to this site yet" in page.text) == (401, True), page.text
        elsewhere.claims["email"] = ada.email
        with served(world, elsewhere) as web:
            assert come_back(web, elsewhere).path == "/"
    with served(world, provider) as web:
        assert come_back(web, provider).path == "/"


@pytest.mark.parametrize(("names", "status"), [(["corp"], 200), (["shop"], 401)])
def test_a_link_without_an_issuer_is_bound_once_to_that_of_the_settings(world, ben, provider, names, status):
    with world.write() as transaction:
        identities.add(transaction, ben.user_id, provider="corp", issuer="", subject="1", email="")
    with served(world, provider) as web:
        assert come_back(web, provider).status == 401
        with world.write() as transaction:
            identities.bind(transaction, dict.fromkeys(names, provider.base))
            identities.bind(transaction, {"corp": "https://other.example"})
        assert come_back(web, provider).status == status


def test_signing_out_offers_to_do_so_at_the_provider_and_to_use_another_account(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        come_back(web, provider)
        page = web.submit(web.get("/profile"), "/sign-out")
        out = next(href for href in page.links if href.startswith(provider.base))
        assert "id_token_hint=" in out
        assert leave(web, provider, page)["prompt"] == "login"


def test_a_form_that_is_not_saved_waits_for_a_sign_in_in_another_tab(world, ada, provider):
    project = ada.post("/projects", {"project": {"name": "Roof"}}).item["id"]
    provider.claims = {"email": ada.email, "email_verified": True}
    with served(world, provider) as web:
        web.sign_in(ada.email, PASSWORD)
        form, other = web.get(f"/projects/{project}/tickets/new"), replace(web)
        web.submit(web.get("/profile"), "/sign-out")
        asked = web.submit(form, f"/projects/{project}/tickets", **{"ticket[title]": "Gutter"})
        assert web.press(replace(asked), "I have signed in").status == 403
        other.get(returning(leave(other, provider, asked)))
        kept = web.press(asked, "I have signed in")
        assert "Gutter" in web.submit(kept, f"/projects/{project}/tickets").text


def test_pages_lead_to_the_provider_without_a_wider_policy(world, provider):
    with served(world, provider) as web:
        page = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


def unsigned(provider):
    """Return a token that says it needs no signature."""
    _, body, _ = provider.signed().split(".")
    return f"{encoded({'alg': 'none'})}.{body}."


def signed_with_what_everybody_knows(provider):
    """Return a token signed with the public key as if it was a secret."""
    body = provider.signed().split(".")[1]
    head = encoded({"alg": "HS256", "kid": provider.key.kid})
    public = provider.key.as_pem(private=False)
    seal = hmac.digest(public, f"{head}.{body}".encode(), "sha256")
    return f"{head}.{body}.{base64.urlsafe_b64encode(seal).rstrip(b'=').decode()}"


def encoded(part):
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize("forged", [unsigned, signed_with_what_everybody_knows])
def test_a_token_without_the_secret_of_the_provider_is_refused(world, ben, provider, forged):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        asked = begin(web, provider)
        provider.token = forged(provider)
        page = web.get(returning(asked))
    assert (page.status, "is not valid" in page.text) == (401, True), page.text


def test_keys_that_a_provider_exchanges_are_read_when_a_token_names_them(world, ben, provider, monkeypatch):
    monkeypatch.setattr(providers, "PAUSE", 0.0)
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        assert come_back(web, provider).status == 200
        provider.key = jwk.RSAKey.generate_key(2048, {"kid": "two"})
        assert come_back(replace(web, cookies={}), provider).status == 200


def test_a_provider_that_answers_without_end_is_given_up(world, ada, provider):
    provider.more = b" " * (transport.MAX_BYTES + 1)
    with served(world, provider) as web:
        page = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
    assert (page.status, "does not respond" in page.text) == (503, True), page.text


def test_the_answer_to_one_provider_signs_nobody_in_with_another(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with running(Provider()) as other:
        shop = ProviderSettings("shop", other.base, CLIENT, "hidden", "Shop")
        with served(world, provider, shop) as web:
            asked = begin(web, provider)
            assert web.get(returning(asked).replace("/corp/", "/shop/")).status == 401
            assert web.get(returning(asked)).status == 200


def test_a_sign_in_begins_only_from_a_form_of_this_site(world, provider):
    with served(world, provider) as web:
        web.get("/sign-in")
        kind = "application/x-www-form-urlencoded"
        assert web.send("POST", "/sign-in/with/corp", b"next=/", kind).status == 403
        assert web.send("POST", "/sign-in/with/corp", b"", kind, Origin="https://x.example").status == 403
    assert provider.asked == []


def test_tokens_and_passwords_work_without_the_provider(world, ben, provider):
    provider.status = 500
    with served(world, provider) as web:
        web.headers |= {"X-ServiceToken": ben.headers["X-ServiceToken"], "Accept": "application/json"}
        assert web.get("/profile.json").status == 200


def test_a_provider_of_one_host_is_not_offered_at_others(world, provider):
    with served(world, provider, hosts=frozenset({"other.example"})) as web:
        assert "Corp" not in web.get("/sign-in").text
        web.get("/sign-in")
        assert web.get("/sign-in/with/corp/return?state=a&code=b").status == 404


@pytest.mark.matrix("both")
def test_an_account_at_a_provider_is_listed_in_both_formats(world, ben):
    with world.write() as transaction:
        place = {"provider": "corp", "issuer": "https://login.example", "subject": "1"}
        identities.add(transaction, ben.user_id, **place, email=ben.email)
    me = world.client(Authorization=basic(ben.email, PASSWORD)["Authorization"])
    (kept,) = me.get("/profile/identities").items
    assert (kept["provider"], kept["email"]) == ("corp", ben.email)
    assert me.delete(f"/profile/identities/{kept['id']}").status == 200
    assert me.get("/profile/identities").items == []


def test_while_a_provider_is_slow_others_go_on(world, ada, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    provider.goes_on.clear()
    with served(world, provider) as web, ThreadPoolExecutor(1) as elsewhere:
        left = elsewhere.submit(begin, replace(web, cookies={}), provider)
        try:
            until(lambda: provider.asked, "the question to the provider")
            assert web.get("/sign-in").status == 200
            web.headers = {"X-ServiceToken": ada.headers["X-ServiceToken"], "Accept": "application/json"}
            assert web.get("/profile.json").status == 200
            assert not left.done()
        finally:
            provider.goes_on.set()
        assert left.result()["response_type"] == "code"


def test_a_provider_that_never_answers_is_given_up(world, ben, provider, monkeypatch):
    monkeypatch.setattr(transport, "SECONDS", 0.1)
    provider.goes_on.clear()
    with served(world, provider) as web:
        page = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
        assert (page.status, "Corp does not respond" in page.text) == (503, True), page.text
        assert web.submit(page, "/sign-in", email=ben.email, password=PASSWORD).status == 200
    provider.goes_on.set()


def test_a_provider_that_calls_itself_otherwise_is_not_believed(world, provider):
    provider.issuer = "https://other.example"
    with served(world, provider) as web:
        page = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
    assert (page.status, "does not respond as it should" in page.text) == (503, True), page.text


@pytest.mark.parametrize("ways", [["client_secret_basic"], ["client_secret_post"], [], None, 5])
def test_a_secret_of_any_characters_reaches_the_provider_as_the_standard_says(world, ben, provider, ways):
    provider.claims = {"email": ben.email, "email_verified": True}
    provider.described = {"token_endpoint_auth_methods_supported": ways}
    secret = "a:b/c +%41é"
    with served(world, provider, client_secret=secret) as web:
        assert come_back(web, provider).status == 200
    ((_, form),) = [each for each in provider.asked if each[0] == "/token_endpoint"]
    in_header = base64.b64decode(provider.authorization.removeprefix("Basic ")).decode()
    is_in_body = ways == ["client_secret_post"]
    expected = ("", secret) if is_in_body else (f"{CLIENT}:a%3Ab%2Fc%20%2B%2541%C3%A9", None)
    assert (in_header, form.get("client_secret")) == expected


def test_the_code_is_exchanged_with_the_verifier_of_who_asked(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        asked = begin(web, provider)
        web.get(returning(asked))
    form = next(form for path, form in provider.asked if path == "/token_endpoint")
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert (asked["code_challenge_method"], form["code"]) == ("S256", "code")
