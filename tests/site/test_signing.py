"""Signing in and out, and that a form of another page does nothing."""

from dataclasses import replace
from urllib.parse import quote, urlencode

import pytest
from argon2 import PasswordHasher

from skerry import app
from skerry.store.auth import logins
from skerry.text import time_zones
from skerry.tracker.people import people
from skerry.web.log import Log
from tests.conftest import PASSWORD, QUICK
from tests.support.browser_client import WebClient


@pytest.fixture
def anybody(world):
    return WebClient(world.instance.application, world.host)


@pytest.mark.parametrize("slug", ["", "-d%C3%A4cher", "-a%23b%3Fc%2525", "?a=%23"])
def test_a_page_for_members_leads_over_the_sign_in_to_itself(anybody, ada, roof, slug):
    address = f"/projects/{roof}{slug}"
    page = anybody.get(address)
    assert page.path == f"/sign-in?next={quote(address, safe='')}"
    page = anybody.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    assert (page.status, page.path) == (200, address)
    page = anybody.submit(page, "/preferences", language="de")
    assert (page.status, page.path, "Überblick" in page.text) == (200, address, True)


@pytest.mark.parametrize("hasher", [QUICK, PasswordHasher(1, 1024, 1)])
def test_signing_in_renews_a_hash_of_another_form_or_of_other_settings(world, anybody, ada, hasher):
    word = "gru\u0308n wie das Gras"
    with world.write() as transaction:
        people.change_password(transaction, ada.email, hasher.hash(word))
    assert anybody.sign_in(ada.email, word).status == 200
    with world.write() as transaction:
        stored = logins.with_email(transaction, ada.email).password_hash
    assert not QUICK.check_needs_rehash(stored)
    assert QUICK.verify(stored, "gr\u00fcn wie das Gras")
    assert anybody.get("/profile").status == 200


def test_a_wrong_password_is_said_and_the_address_is_kept(anybody, ada):
    page = anybody.sign_in(ada.email, "wrong horse")
    assert page.status == 401
    assert "Wrong login or password" in page.text
    assert ("email", ada.email) in page.form("/sign-in").fields
    assert "wrong horse" not in page.source


def test_after_too_many_tries_the_page_says_how_long_to_wait(anybody, ada):
    for _ in range(10):
        assert anybody.sign_in(ada.email, "wrong horse").status == 401
    page = anybody.sign_in(ada.email, PASSWORD)
    assert page.status == 429
    wait = int(page.headers["retry-after"])
    assert 50 < wait <= 61
    assert f"Too many failed sign-ins; try again in {wait} s" in page.text


def test_a_person_who_is_throttled_is_told_so_and_stays_signed_in(world, ada):
    settings = replace(world.instance.settings, requests_per_minute=3)
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        web.sign_in(ada.email, PASSWORD)
        pages = [web.get(path) for path in ("/projects", "/nothing/here", "/projects", "/sign-in")]
    assert [page.status for page in pages] == [200, 404, 429, 429]
    assert [page.headers["x-ratelimit-remaining"] for page in pages] == ["1", "0", "0", "0"]
    assert "Ada" in pages[2].text
    assert "Sign in" not in pages[2].text


def test_pages_fetched_ahead_take_nothing_from_the_allowance_and_have_an_end(world, ada):
    settings = replace(world.instance.settings, requests_per_minute=3)
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        web.sign_in(ada.email, PASSWORD)
        ahead = [web.get("/projects", Purpose="prefetch").status for _ in range(4)]
        page = web.get("/projects")
    assert ahead == [200, 200, 200, 429]
    assert (page.status, page.headers["x-ratelimit-remaining"]) == (200, "1")


def test_a_script_is_told_where_a_form_leads_with_the_fragment(anybody, ada):
    anybody.sign_in(ada.email, PASSWORD)
    anybody.headers["X-No-Redirect"] = "yes"
    answer = anybody.submit(anybody.get("/profile"), "/profile/tokens/1", "delete")
    assert (answer.status, answer.headers["location"], answer.source) == (200, "/profile#tokens", "")


def test_signing_in_changes_the_secret_of_the_browser(anybody, ada):
    anybody.get("/sign-in")
    before = dict(anybody.cookies)
    anybody.sign_in(ada.email, PASSWORD)
    assert anybody.cookies["skerry"] != before["skerry"]


def test_the_cookie_is_out_of_the_reach_of_scripts_and_of_other_sites(anybody, ada):
    page = anybody.get("/sign-in")
    answer = anybody.submit(page, "/sign-in", follow=False, email=ada.email, password=PASSWORD)
    assert answer.headers["set-cookie"].endswith("; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax")


def test_behind_tls_the_cookie_is_for_this_host_and_for_tls_alone(world, ada):
    settings = replace(world.instance.settings, trusted_proxies=frozenset({world.host}))
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host, headers={"X-Forwarded-Proto": "https"})
        cookie = web.get("/sign-in").headers["set-cookie"]
        web.sign_in(ada.email, PASSWORD)
        # Whoever comes next at the same computer does not go back to its pages.
        out = web.submit(web.get("/"), "/sign-out", follow=False)
    assert cookie.startswith("__Host-skerry=")
    assert cookie.endswith("; Secure")
    assert (out.status, out.headers["clear-site-data"]) == (303, '"cache"')


@pytest.mark.parametrize(
    ("headers", "named"), [({}, "__Host-skerry-"), ({"X-Forwarded-Prefix": "/tracker"}, "__Secure-skerry-")]
)
def test_behind_tls_the_preferences_are_for_this_host_and_for_tls_alone(world, headers, named):
    settings = replace(world.instance.settings, trusted_proxies=frozenset({world.host}))
    with app.build(settings, Log(stream=world.log)) as instance:
        headers = {"X-Forwarded-Proto": "https", **headers}
        web = WebClient(instance.application, world.host, headers=headers)
        prefix = headers.get("X-Forwarded-Prefix", "")
        page = web.get(f"{prefix}/sign-in")
        # Scripts set cookies with such names, too.
        assert f'data-cookies="{named}"' in page.source
        said = web.submit(page, f"{prefix}/preferences", follow=False, theme="dark").headers["set-cookie"]
        assert said == f"{named}theme=dark; Path={prefix}/; Max-Age=31536000; SameSite=Lax; Secure"
        assert 'data-theme="dark"' in web.get(f"{prefix}/sign-in").source
        # One that another host on the domain could set says nothing.
        web.cookies = {"skerry-theme": "dark"}
        assert 'data-theme="dark"' not in web.get(f"{prefix}/sign-in").source


def test_signing_in_ends_the_session_that_the_browser_had(surfing, ada, ben):
    web = surfing(ben)
    kept, proof = dict(web.cookies), dict(web.get("/profile").form("/sign-out").fields)["_csrf"]
    fields = {"_csrf": proof, "email": ada.email, "password": PASSWORD}
    form = urlencode(fields).encode(), "application/x-www-form-urlencoded"
    assert web.send("POST", "/sign-in", *form).path == "/"
    assert web.cookies["skerry"] != kept["skerry"]
    web.cookies = kept
    assert web.get("/profile").path.startswith("/sign-in")


def test_signing_out_ends_the_session_for_good(surfing, ada, roof):
    web = surfing(ada)
    kept = dict(web.cookies)
    web.submit(web.get("/"), "/sign-out")
    web.cookies = kept
    assert web.get(f"/projects/{roof}").path.startswith("/sign-in")


def test_an_address_for_forms_allows_only_post(anybody):
    page = anybody.get("/sign-out")
    assert (page.status, page.headers["allow"]) == (405, "POST, OPTIONS")


@pytest.mark.parametrize(
    "wanted",
    ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:1", "/\t/evil.example", "/ü"],
)
def test_signing_in_never_leads_to_another_site(anybody, ada, wanted):
    page = anybody.sign_in(ada.email, PASSWORD, wanted)
    assert (page.status, page.path) == (200, "/")


@pytest.mark.parametrize("proof", [None, "", "0" * 32, "0" * 64])
def test_a_form_without_a_csrf_token_changes_nothing(surfing, ada, proof):
    web = surfing(ada)
    page = web.submit(web.get("/projects/new"), "/projects", _csrf=proof, **{"project[name]": "Forged"})
    assert page.status == 403
    assert ada.get("/projects").items == []


def test_a_csrf_token_is_valid_in_its_own_browser_only(surfing, ada, ben):
    page = surfing(ben).get("/projects/new")
    web = surfing(ada)
    assert web.submit(page, "/projects", **{"project[name]": "Forged"}).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {"Origin": "https://evil.{host}"},
        {"Origin": "https://{host}:8443"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing_even_with_a_password(world, ada, headers):
    before = ada.get("/projects").items
    sent = {name: value.format(host=world.host) for name, value in headers.items()}
    answer = ada.post("/projects", {"project": {"name": "Forged"}}, **sent)
    assert answer.status == 403
    assert ada.get("/projects").items == before


@pytest.mark.parametrize("written", ["http://{host}", "https://{host}", ""])
def test_a_page_may_come_through_a_proxy_with_tls(world, ada, written):
    headers = {"Origin": written.format(host=world.host), "Sec_Fetch_Site": "same-origin"}
    assert ada.post("/projects", {"project": {"name": "Roof"}}, **headers).status == 201


@pytest.mark.parametrize(
    ("asked", "written"), [("{HOST}", "http://{Host}"), ("{Host}:81", "http://{Host}:81")]
)
def test_the_case_of_our_host_and_its_port_do_not_matter(world, ada, asked, written):
    inline_literal = {"HOST": world.host.upper(), "Host": world.host.title()}
    headers = {"Host": asked.format(**inline_literal), "Origin": written.format(**inline_literal)}
    assert ada.post("/projects", {"project": {"name": "Roof"}}, **headers).status == 201


def test_a_form_that_is_sent_twice_is_carried_out_once(surfing, ada):
    web = surfing(ada)
    page = web.get("/projects/new")
    paths = [web.submit(page, "/projects", **{"project[name]": "Roof"}).path for _ in range(2)]
    assert paths[0] == paths[1]
    assert len(ada.get("/projects").items) == 1


def test_an_invalid_project_is_shown_again_with_the_entered_values(surfing, ada):
    web = surfing(ada)
    page = web.submit(
        web.get("/projects/new"), "/projects", **{"project[name]": " ", "project[public]": "true"}
    )
    assert page.status == 422
    assert "Name can't be blank" in page.text
    assert ("project[public]", "true") in page.form("/projects").fields


def test_a_browser_session_can_read_the_api(surfing, ada, roof):
    page = surfing(ada).get(f"/projects/{roof}.json", Accept="application/json")
    assert (page.status, page.headers["content-type"]) == (200, "application/json; charset=utf-8")


def test_a_browser_session_needs_a_csrf_token_to_write_through_the_api(surfing, ada, roof):
    web = surfing(ada)
    body = b'{"ticket": {"title": "Leak"}}'
    path = f"/projects/{roof}/tickets.json"
    assert web.send("POST", path, body, "application/json").status == 403
    proof = dict(web.get("/projects/new").form("/projects").fields)["_csrf"]
    assert web.send("POST", path, body, "application/json", X_CSRF_Token=proof).status == 201


def test_the_language_is_the_readers(anybody):
    assert "Anmelden" in anybody.get("/sign-in", Accept_Language="fr;q=0.9, de-AT;q=0.8, en;q=0.7").text
    page = anybody.get("/sign-in")
    page = anybody.submit(page, "/preferences", language="de", theme="dark")
    assert 'lang="de" data-theme="dark"' in page.source


@pytest.mark.parametrize(("zone", "said"), [("Asia/Tokyo", "+0900"), ("Etc/GMT+5", "-0500")])
def test_the_time_zone_is_the_readers(anybody, ben, harbour, zone, said):
    ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    anybody.submit(anybody.get("/sign-in"), "/preferences", zone=zone)
    assert f" {said}" in anybody.get(f"/projects/{harbour}/tickets").source
    # As a script writes it.
    anybody.cookies["skerry-zone"] = quote(zone, safe="")
    assert f" {said}" in anybody.get(f"/projects/{harbour}/tickets").source


def test_the_zones_that_there_are_are_looked_for_once(anybody, ben, harbour, monkeypatch):
    ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Leak"}})
    anybody.cookies["skerry-zone"] = "Asia/Tokyo"
    anybody.get("/sign-in")
    # To look for them opens hundreds of files, which takes longer than a page.
    monkeypatch.setattr(time_zones, "available_timezones", dict)
    for zone, said in (("Asia/Tokyo", "+0900"), ("Africa/Lagos", "+0100"), ("Nowhere/Land", "UTC")):
        anybody.cookies["skerry-zone"] = zone
        assert f" {said}" in anybody.get(f"/projects/{harbour}/tickets").source, zone
