"""What attackers try at the sign-in: other sites, planted cookies, replays, two at once, and addresses."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, urlencode

import pytest
from argon2 import PasswordHasher

from skerry.store.auth import account_logins
from skerry.store.people import people
from skerry.web.auth.browser import new_secret, proof_of
from skerry.web.auth.guesses import GuessLimiter
from tests.conftest import PASSWORD
from tests.support.client import FORM, basic
from tests.support.own_provider import begin, come_back, returning, served
from tests.support.passkeys import passkey_of, sign_in

pytestmark = pytest.mark.matrix("both")

FACTOR = "/sign-in/factor"
ELSEWHERE = ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/\r\nX: y")
ABOVE = ("/../login", "/projects/..%2f../../login", "/%2E./login")


def by_password(web, somebody, wanted="/"):
    return web.sign_in(somebody.email, PASSWORD, wanted)


@pytest.mark.parametrize("path", ["/sign-in", FACTOR, "/sign-out", "/preferences"])
def test_a_form_of_another_site_signs_nobody_in_or_out(surfing, ada, path):
    for web in (surfing(), surfing(ada)):
        web.get("/sign-in")
        cookies = dict(web.cookies)
        body = urlencode({"email": ada.email, "password": PASSWORD, "_csrf": proof_of(new_secret())}).encode()
        assert web.send("POST", path, body, FORM, Origin="https://evil.example").status == 403
        assert web.send("POST", path, body, FORM).status == 403
        assert web.cookies == cookies


def test_a_cookie_that_was_planted_before_is_worth_nothing_after_each_sign_in(
    world, surfing, ada, ben, cy, provider, code_app
):
    code_app.set_up(surfing(ada))
    device = passkey_of(world, ben)
    provider.claims = {"email": cy.email, "email_verified": True}
    with served(world, provider) as at_provider:
        for web, enter in (
            (surfing(), lambda web: web.submit(by_password(web, ada), FACTOR, code=code_app.next())),
            (surfing(), lambda web: sign_in(web, device)),
            (at_provider, lambda web: come_back(web, provider)),
        ):
            web.cookies["skerry"] = planted = new_secret()
            page = enter(web)
            assert (page.status, web.get("/profile").path) == (200, "/profile"), page.text
            attacker = surfing()
            attacker.cookies["skerry"] = planted
            assert attacker.get("/profile").path.startswith("/sign-in")


@pytest.mark.parametrize("wanted", [*ELSEWHERE, *ABOVE])
def test_no_way_of_signing_in_leads_to_another_site(world, surfing, ada, ben, provider, code_app, wanted):
    code_app.set_up(surfing(ada))
    device, said = passkey_of(world, ben), urlencode({"next": wanted})
    web = surfing()
    by_password(web, ada)
    assert web.submit(web.get(f"{FACTOR}?{said}"), FACTOR, next=wanted, code=code_app.next()).path == "/"
    assert web.get(f"/sign-in?{said}").path == "/"
    assert web.submit(web.get("/profile"), "/preferences", next=wanted).path == "/"
    web = surfing()
    assert sign_in(web, device, wanted=quote(wanted, safe="")).path == "/"
    provider.claims = {"email": world.people["cy"].email, "email_verified": True}
    with served(world, provider) as web:
        page = web.get("/sign-in")
        page = web.submit(page, "/sign-in/with/corp", next=wanted)
        asked_for = dict(re.findall(r"(state|nonce)=([^&\"]+)", page.headers["refresh"]))
        provider.nonce = asked_for["nonce"]
        assert web.get(returning(asked_for)).path == "/"


def test_of_two_requests_with_one_recovery_code_one_is_refused(surfing, ada, code_app):
    code_app.set_up(surfing(ada))
    webs = [surfing(), surfing()]
    pages = [by_password(web, ada) for web in webs]
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(
            lambda web, page: web.submit(page, FACTOR, code=code_app.recovery[0]).status, webs, pages
        )
    assert sorted(done) == [200, 401]


def test_a_code_is_not_accepted_again_after_signing_out(surfing, ada, code_app):
    code_app.set_up(surfing(ada))
    web, code = surfing(), code_app.next()
    assert web.submit(by_password(web, ada), FACTOR, code=code).path == "/"
    web.submit(web.get("/profile"), "/sign-out")
    assert web.submit(by_password(web, ada), FACTOR, code=code).status == 401


def test_an_id_token_of_an_earlier_sign_in_is_refused(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        asked_for = begin(web, provider)
        provider.token = provider.signed()
        assert web.get(returning(asked_for)).path == "/"
        web.submit(web.get("/profile"), "/sign-out")
        page = web.get(returning(begin(web, provider)))
    assert (page.status, "is not valid" in page.text) == (401, True)


def test_returns_of_a_provider_are_limited_with_a_time(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True, "aud": "other"}
    with served(world, provider) as web:
        pages = [come_back(web, provider) for _ in range(GuessLimiter.ALLOWED[0] + 1)]
    assert [page.status for page in pages] == [401] * 10 + [429]
    assert f"try again in {pages[-1].headers['retry-after']} s" in pages[-1].text


def test_all_that_is_guessed_from_a_network_has_one_limit(surfing, ada, ben, code_app, monkeypatch):
    monkeypatch.setattr(GuessLimiter, "ALLOWED", (10, 2, 100))
    code_app.set_up(surfing(ada))
    web = surfing()
    page = web.submit(by_password(web, ada), FACTOR, code="a" * 24)
    other = surfing().sign_in(ben.email, "wrong")
    assert (page.status, other.status) == (401, 401)
    assert web.submit(page, FACTOR, code=code_app.next()).status == 429
    assert surfing().sign_in(ben.email, PASSWORD).status == 429


def test_wrong_passwords_do_not_keep_others_of_the_network_from_a_provider(world, ben, provider):
    provider.claims = {"email": ben.email, "email_verified": True}
    with served(world, provider) as web:
        for number in range(GuessLimiter.ALLOWED[0]):
            assert web.sign_in(f"nobody{number}@example.org", "wrong").status == 401
        assert come_back(web, provider).path == "/"


def test_wrong_recovery_codes_are_limited_with_a_time(surfing, ada, code_app):
    code_app.set_up(surfing(ada))
    web = surfing()
    page = by_password(web, ada)
    for _ in range(GuessLimiter.ALLOWED[0]):
        page = web.submit(page, FACTOR, code="a" * 24)
        assert page.status == 401
    page = web.submit(page, FACTOR, code=code_app.recovery[0])
    assert (page.status, f"try again in {page.headers['retry-after']} s" in page.text) == (429, True)


@pytest.fixture
def hashed(monkeypatch):
    """How often a password was compared with a hash, which takes the time of a sign-in."""
    done, verify = [], PasswordHasher.verify

    def verified(hasher, stored, password):
        done.append(stored)
        return verify(hasher, stored, password)

    monkeypatch.setattr(PasswordHasher, "verify", verified)
    return done


def test_no_answer_tells_whether_an_address_has_a_login(world, surfing, ada, ben, cy, code_app, hashed):
    code_app.set_up(surfing(ada))
    with world.write() as transaction:
        people.add(transaction, f"linked@{world.host}", "Linked", "")
        account_logins.disable(transaction, cy.user_id)
    found = {}
    for email in (ada.email, ben.email, cy.email, f"linked@{world.host}", f"nobody@{world.host}"):
        web = surfing()
        hashed.clear()
        page = web.submit(web.get("/sign-in"), "/sign-in", email=email, password="wrong horse battery")
        answer = world.client(**basic(email, "wrong horse battery")).get("/profile")
        found[email] = (*told(page, email), answer.status, answer.body, headers(answer), len(hashed))
    assert len(set(found.values())) == 1, found


def told(page, email):
    """Return what a page says, without what differs each time."""
    text = re.sub(r'(name="_csrf" value|name="_key" value|data-\w+)="[^"]*"', "", page.source)
    return page.status, text.replace(email, ""), headers(page)


def headers(answer):
    changing = ("x-request-id", "content-length")
    return tuple(sorted(pair for pair in answer.headers.items() if pair[0] not in changing))
