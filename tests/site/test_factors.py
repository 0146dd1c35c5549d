"""Second factors: set up in the profile, and asked for after the password."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import bindparam, select

from skerry.database.statements import Statement
from skerry.store import tables
from skerry.store.auth import factors, identities
from tests.conftest import PASSWORD
from tests.support.authenticator import Authenticator
from tests.support.client import basic
from tests.support.newcomers import newcomer

pytestmark = pytest.mark.matrix("both")

FACTOR = "/sign-in/factor"
SET_UP, PASSKEYS = "/profile/time-codes", "/profile/passkeys"


@pytest.fixture
def protected(surfing, ada, code_app):
    """Ada's browser, after she has set up the app."""
    web = surfing(ada)
    code_app.set_up(web)
    return web


def begin(web, somebody, wanted="/"):
    """Give the right password, and return the page that asks for a code."""
    page = web.sign_in(somebody.email, PASSWORD, wanted)
    assert page.path.startswith(FACTOR), page.text
    return page


def logged(world, kind):
    entries = tables.audit_entries
    found = select(entries.c.credential, entries.c.details).where(
        entries.c.account_id == bindparam("account_id"), entries.c.kind == bindparam("kind")
    )
    with world.database.read(world.account_id) as transaction:
        return list(transaction.all(Statement(found.order_by(entries.c.entry)), kind=kind))


def test_an_app_is_set_up_by_its_first_code(surfing, ada, code_app):
    web = surfing(ada)
    page = web.submit(web.get("/profile"), "/profile/time-codes")
    assert "qr-code" in page.source
    assert page.headers["cache-control"] == "no-store"
    code_app.secret = re.search(r"secret=([A-Z2-7]{32})", page.source)[1]
    page = web.submit(page, "/profile/time-codes", "put", **{"time_codes[code]": code_app.wrong()})
    assert (page.status, "This code is wrong" in page.text) == (422, True)
    assert code_app.secret in page.source
    page = web.submit(page, "/profile/time-codes", "put", **{"time_codes[code]": code_app.code()})
    assert len(set(re.findall(r"(?:[a-z2-7]{6}-){3}[a-z2-7]{6}", page.text))) == 10
    assert code_app.secret not in web.get("/profile/time-codes").source
    assert "10 are left" in web.get("/profile").text


def test_a_secret_waits_an_hour_for_its_first_code(surfing, ada, code_app):
    web = surfing(ada)
    page = web.submit(web.get("/profile"), "/profile/time-codes")
    code_app.wait(3601)
    assert "qr-code" not in web.get("/profile/time-codes").source
    web = surfing(ada)
    code_app.secret = re.search(r"secret=([A-Z2-7]{32})", page.source)[1]
    token = dict(web.get("/profile/time-codes").form("/profile/time-codes").fields)["_csrf"]
    body = f"_csrf={token}&_method=PUT&time_codes[code]={code_app.code()}".encode()
    page = web.send("POST", "/profile/time-codes", body, "application/x-www-form-urlencoded")
    assert (page.status, "took too long" in page.text) == (422, True)


@pytest.mark.usefixtures("protected")
def test_after_the_password_there_is_no_session_until_the_code(surfing, ada, roof, code_app):
    web = surfing()
    page = begin(web, ada, f"/projects/{roof}")
    assert web.get("/profile").path.startswith("/sign-in?")
    page = web.submit(page, FACTOR, code=code_app.wrong())
    assert (page.status, "Type the one that your app shows now" in page.text) == (401, True)
    page = web.submit(page, FACTOR, code=code_app.next())
    assert (page.status, page.path) == (200, f"/projects/{roof}")
    assert web.get(FACTOR).path.startswith("/")


@pytest.mark.usefixtures("protected")
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_a_clock_may_be_half_a_minute_off(surfing, ada, code_app, offset):
    code_app.wait(300)
    web = surfing()
    assert web.submit(begin(web, ada), FACTOR, code=code_app.code(offset)).path == "/"


@pytest.mark.usefixtures("protected")
@pytest.mark.parametrize("offset", [-2, 2])
def test_a_clock_may_not_be_a_minute_off(surfing, ada, code_app, offset):
    code_app.wait(300)
    web = surfing()
    assert web.submit(begin(web, ada), FACTOR, code=code_app.code(offset)).status == 401


@pytest.mark.usefixtures("protected")
def test_a_code_works_once(surfing, ada, code_app):
    webs = [surfing(), surfing()]
    code = code_app.next()
    assert [web.submit(begin(web, ada), FACTOR, code=code).status for web in webs] == [200, 401]


@pytest.mark.usefixtures("protected")
def test_of_two_requests_with_a_code_one_is_refused(surfing, ada, code_app):
    webs = [surfing(), surfing()]
    pages, code = [begin(web, ada) for web in webs], code_app.next()
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda web, page: web.submit(page, FACTOR, code=code).status, webs, pages)
    assert sorted(done) == [200, 401]


@pytest.mark.usefixtures("protected")
def test_a_recovery_code_works_once_and_as_it_is_typed(surfing, ada, code_app):
    webs = [surfing(), surfing()]
    typed = f" {code_app.recovery[0].upper().replace('-', ' ')} "
    assert [web.submit(begin(web, ada), FACTOR, code=typed).status for web in webs] == [200, 401]
    assert "9 are left" in webs[0].get("/profile").text


def test_new_recovery_codes_replace_the_earlier_ones(surfing, ada, code_app, protected):
    page = protected.submit(protected.get("/profile/recovery-codes"), "/profile/recovery-codes")
    (made, *_) = re.findall(r"(?:[a-z2-7]{6}-){3}[a-z2-7]{6}", page.text)
    web = surfing()
    page = web.submit(begin(web, ada), FACTOR, code=code_app.recovery[0])
    assert page.status == 401
    assert web.submit(page, FACTOR, code=made).path == "/"


@pytest.mark.usefixtures("protected")
def test_wrong_codes_are_limited_like_passwords_and_then_ever_longer(surfing, ada, code_app, world):
    web = surfing()
    page = begin(web, ada)
    for _ in range(10):
        page = web.submit(page, FACTOR, code=code_app.wrong())
        assert page.status == 401
    page = web.submit(page, FACTOR, code=code_app.next())
    assert page.status == 429
    assert int(page.headers["retry-after"]) > 0
    assert "try again in" in page.text
    with world.write() as transaction:
        failures = transaction.sql("SELECT failures FROM time_codes WHERE user_id = ?", [ada.user_id])
    assert failures == [(10,)]


@pytest.mark.usefixtures("protected")
def test_after_many_wrong_codes_the_app_waits_and_a_recovery_code_does_not(surfing, ada, code_app, world):
    fail(world, ada, 15)
    web = surfing()
    page = web.submit(begin(web, ada), FACTOR, code=code_app.next())
    assert (page.status, "or use a recovery code" in page.text) == (429, True)
    assert web.submit(page, FACTOR, code=code_app.recovery[0]).path == "/"


@pytest.mark.usefixtures("protected")
@pytest.mark.parametrize(("wrong", "status"), [(9, 200), (10, 429)])
def test_the_app_waits_from_the_tenth_wrong_code_on(surfing, ada, code_app, world, wrong, status):
    fail(world, ada, wrong)
    web = surfing()
    assert web.submit(begin(web, ada), FACTOR, code=code_app.next()).status == status


def fail(world, somebody, times):
    with world.write() as transaction:
        change = "UPDATE time_codes SET failures = ?, failed_at = ? WHERE user_id = ? RETURNING 1"
        transaction.sql(change, [times, transaction.now, somebody.user_id])


@pytest.mark.usefixtures("protected")
def test_an_hour_is_the_longest_that_codes_wait(surfing, ada, code_app, world):
    fail(world, ada, 1000)
    code_app.wait(3600)
    web = surfing()
    assert web.submit(begin(web, ada), FACTOR, code=code_app.next()).path == "/"


@pytest.mark.usefixtures("protected")
def test_a_step_ends_after_ten_minutes_and_with_a_new_password(surfing, ada, code_app, protected):
    web = surfing()
    page = begin(web, ada)
    code_app.wait(601)
    page = web.submit(page, FACTOR, code=code_app.code())
    assert (page.status, "Sign in again" in page.text) == (403, True)
    page = begin(web, ada)
    new = {"password[present]": PASSWORD, "password[new]": "a boat full of rope"}
    assert protected.submit(protected.get("/profile"), "/profile/password", **new).status == 200
    page = web.submit(page, FACTOR, code=code_app.next())
    assert (page.status, "Sign in again" in page.text) == (403, True)


@pytest.mark.usefixtures("protected")
def test_a_step_belongs_to_the_browser_that_began_it(surfing, ada, code_app):
    web = surfing()
    begin(web, ada)
    other = surfing()
    page = other.get("/sign-in")
    body = f"_csrf={dict(page.form('/sign-in').fields)['_csrf']}&code={code_app.next()}".encode()
    page = other.send("POST", FACTOR, body, "application/x-www-form-urlencoded")
    assert page.status == 403
    assert other.get(FACTOR).path == "/sign-in?next=%2F"
    assert web.send("POST", FACTOR, body, "application/x-www-form-urlencoded").status == 403


@pytest.mark.usefixtures("protected")
def test_a_form_that_was_not_saved_is_kept_over_both_steps(surfing, ada, roof, code_app):
    web = surfing()
    web.submit(begin(web, ada), FACTOR, code=code_app.next())
    page = web.get(f"/projects/{roof}/tickets/new")
    web.submit(web.get("/"), "/sign-out")
    page = web.submit(page, f"/projects/{roof}/tickets", **{"ticket[title]": "It leaks"})
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    page = web.submit(page, FACTOR, code=code_app.wrong())
    page = web.submit(page, FACTOR, code=code_app.next())
    page = web.submit(page, f"/projects/{roof}/tickets")
    assert "It leaks" in page.text


def test_a_change_of_access_takes_password_and_code_after_an_hour(ada, code_app, protected):
    page = protected.get("/profile")
    code_app.wait(3601)
    page = protected.submit(page, "/profile/time-codes", "delete")
    assert (page.status, "Sign in again to change this" in page.text) == (403, True)
    page = protected.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    page = protected.submit(page, FACTOR, code=code_app.next())
    page = protected.submit(page, "/profile/time-codes")
    assert (page.status, page.path) == (200, "/profile")
    assert "Set up an app" in page.text


def test_without_the_app_the_password_is_enough_again(surfing, ada, protected):
    protected.submit(protected.get("/profile"), "/profile/time-codes", "delete")
    assert surfing().sign_in(ada.email, PASSWORD).path == "/"


def test_a_password_may_be_shorter_with_a_second_factor(surfing, ada, ben, protected):
    short = {"password[present]": PASSWORD, "password[new]": "tern&eel"}
    page = protected.get("/profile")
    assert ("at least 8 characters" in page.text, "at least 12 characters" in page.text) == (True, False)
    assert protected.submit(page, "/profile/password", "put", **short).status == 200
    web = surfing(ben)
    refused = web.submit(web.get("/profile"), "/profile/password", "put", **short)
    assert (refused.status, "at least 12 characters" in refused.text) == (422, True)


@pytest.mark.usefixtures("protected")
def test_the_password_alone_opens_nothing_to_a_program(world, ada):
    with_password = world.client(**basic(ada.email, PASSWORD))
    new = {"project": {"name": "Roof"}}
    for answer in (with_password.get("/projects"), with_password.post("/projects", new)):
        assert answer.status == 401
        assert "Use a token" in answer.errors[0]
    wrong = world.client(**basic(ada.email, "wrong horse")).get("/projects")
    assert (wrong.status, wrong.errors) == (401, ["Wrong login or password"])
    assert ada.get("/projects").status == 200


@pytest.mark.usefixtures("protected")
def test_another_account_of_the_server_does_not_know_the_factor(world, ada, ben):
    assert ben.get("/profile").status == 200
    assert world.client(**basic(ben.email, PASSWORD)).get("/profile").status == 200


@pytest.mark.usefixtures("protected")
def test_a_link_for_a_new_password_does_not_sign_in_alone(world, surfing, ada, code_app):
    owner = world.person("owner", "owner")
    (page, web) = (surfing(owner).get("/administration"), surfing(owner))
    page = web.submit(web.get("/administration"), "/invitations", **{"invitation[email]": ada.email})
    link = re.search(r"/welcome/[0-9a-f]{40}", page.source)[0]
    other = surfing()
    page = other.submit(other.get(link), link, **{"welcome[password]": "a boat full of rope"})
    assert page.path == f"{FACTOR}?next=%2F"
    assert other.get("/profile").path.startswith("/sign-in?")
    assert other.submit(page, FACTOR, code=code_app.next()).path == "/"


def test_an_administrator_resets_the_factor_of_somebody_who_has_lost_it(surfing, ada, ben, code_app):
    web = surfing(ben)
    code_app.set_up(web)
    other = surfing(ada)
    page = other.get("/administration")
    assert "second factor" in page.text
    page = other.submit(page, f"/people/{ben.user_id}/factors", "delete")
    assert (page.status, "Reset second factor" in page.text) == (200, False)
    assert web.get("/profile").path.startswith("/sign-in?")
    assert surfing().sign_in(ben.email, PASSWORD).path == "/"


def test_a_reset_unlinks_providers_too_and_people_show_how_many_there_are(world, surfing, ada, ben):
    with world.write() as transaction:
        corp = {"provider": "corp", "issuer": "https://login.example", "subject": "1", "email": ""}
        identities.add(transaction, ben.user_id, **corp)
    web = surfing(ada)
    page = web.get("/administration")
    assert "1 linked provider" in page.text
    page = web.submit(page, f"/people/{ben.user_id}/factors", "delete")
    assert (page.status, "linked provider" in page.text) == (200, False)
    with world.write() as transaction:
        assert identities.of_user(transaction, ben.user_id) == []


def test_a_guest_who_has_never_written_is_reset_too(world, ada):
    dora = newcomer(world, "Dora")
    with world.write() as transaction:
        factors.need(transaction, dora.user_id, needed=True)
    in_person = world.client(**basic(ada.email, PASSWORD))
    assert in_person.delete(f"/people/{dora.user_id}/factors").status == 200
    assert in_person.delete(f"/people/{dora.user_id}/factors").status == 409


def test_a_member_resets_nobody(surfing, world, ada, ben, protected):
    with_password = world.client(**basic(ben.email, PASSWORD))
    assert with_password.delete(f"/people/{ada.user_id}/factors").status == 403
    assert ada.delete(f"/people/{ada.user_id}/factors").status == 403
    assert surfing().sign_in(ada.email, PASSWORD).path.startswith(FACTOR)


def test_a_factor_is_in_the_log_without_anything_secret(world, surfing, ada, code_app, protected):
    web = surfing()
    web.submit(begin(web, ada), FACTOR, code=code_app.next())
    protected = surfing()
    protected.submit(begin(protected, ada), FACTOR, code=code_app.recovery[0])
    protected.submit(protected.get("/profile"), "/profile/time-codes", "delete")
    assert [found[1] for found in logged(world, "factor.created")] == ['{"factor":"code"}']
    assert len(logged(world, "factor.deleted")) == 1
    credentials = [credential for credential, _ in logged(world, "session.created")]
    assert credentials[-2:] == ["password and code", "password and recovery code"]
    with world.database.read(world.account_id) as transaction:
        rows = transaction.sql("SELECT * FROM audit_entries WHERE account_id = ?", [world.account_id])
    assert code_app.secret not in str(rows)
    assert code_app.recovery[0] not in str(rows)


def test_what_is_stored_shows_neither_the_secret_nor_a_recovery_code(world, code_app, protected):
    del protected
    with world.database.read(world.account_id) as transaction:
        rows = [
            transaction.sql(f"SELECT * FROM {name} WHERE account_id = ?", [world.account_id])
            for name in ("time_codes", "recovery_codes", "sign_in_steps")
        ]
    assert rows[0]
    assert code_app.secret not in str(rows)
    assert code_app.recovery[0].replace("-", "") not in str(rows)


def test_a_person_who_is_removed_leaves_no_factor(world, surfing, ada, ben, code_app):
    code_app.set_up(surfing(ben))
    web = surfing(ada)
    web.remove(web.get("/administration"), f"/people/{ben.user_id}")
    with world.database.read(world.account_id) as transaction:
        left = transaction.sql(
            "SELECT user_id FROM time_codes UNION ALL SELECT user_id FROM recovery_codes", []
        )
    assert ben.user_id not in [row[0] for row in left]


def demand(world, ada, day):
    return world.client(**basic(ada.email, PASSWORD)).put("/account", {"account": {"factors_from": day}})


def day(code_app, offset):
    return f"{datetime.fromtimestamp(code_app.now / 1e6, UTC) + timedelta(days=offset):%Y-%m-%d}"


def test_before_the_day_of_a_demand_people_see_it(world, surfing, ada, ben, code_app):
    assert demand(world, ada, day(code_app, 7)).status == 200
    web = surfing(ben)
    assert "takes a second factor" in web.get("/").text
    assert world.client(**basic(ben.email, PASSWORD)).get("/profile").status == 200
    code_app.set_up(web)
    assert "takes a second factor" not in web.get("/").text


def test_from_the_day_of_a_demand_nothing_but_setting_up_is_open(world, surfing, ada, ben, roof, code_app):
    assert demand(world, ada, day(code_app, 1)).status == 200
    web = surfing(ben)
    kept = web.get("/profile")
    code_app.wait(24 * 3600)
    assert web.submit(kept, "/profile", "put", **{"user[name]": "Eve"}).status == 403
    web.submit(web.get("/"), "/sign-out")
    page = web.sign_in(ben.email, PASSWORD, f"/projects/{roof}")
    assert (page.status, page.path) == (200, f"{SET_UP}?next=%2Fprojects%2F{roof}")
    assert "requires a second factor" in page.text
    assert "Roof" not in page.source
    for path in ("/", f"/projects/{roof}", "/tickets", "/profile", "/profile/tokens"):
        assert web.get(path).path.startswith(f"{SET_UP}?next=")
        assert web.get(f"{path.rstrip('/') or '/projects'}.json", Accept="application/json").status == 403
    code_app.set_up(web, SET_UP)
    assert web.get(f"/projects/{roof}").status == 200


def test_an_app_that_is_demanded_leads_on_to_the_page_that_was_wanted(
    world, surfing, ada, ben, roof, code_app
):
    assert demand(world, ada, day(code_app, 0)).status == 200
    for wanted, leads in ((f"/projects/{roof}?a=b&c=d", True), ("//evil.example", False)):
        code_app.wait(300)
        page = code_app.set_up(web := surfing(ben), f"{SET_UP}?{urlencode({'next': wanted})}")
        assert ((wanted in page.links), len(code_app.recovery)) == (leads, 10), page.source
        web.submit(web.get("/profile"), SET_UP, "delete")


@pytest.mark.usefixtures("code_app")
def test_a_passkey_is_enough_where_a_second_factor_is_demanded(world, surfing, ada, ben, roof, code_app):
    assert demand(world, ada, day(code_app, 0)).status == 200
    web, device = surfing(ben), Authenticator(world.host)
    page = web.get(f"/projects/{roof}")
    page = web.submit(page, PASSKEYS, **{"passkey[name]": "Key", "passkey[answer]": "{}"})
    assert (page.status, "was not accepted" in page.text) == (422, True), page.text
    page = web.submit(page, PASSKEYS, **{"passkey[answer]": device.make(options_of(web))})
    assert (page.status, len(codes_in(page))) == (200, 10), page.text
    assert f"/projects/{roof}" in page.links
    assert web.get(f"/projects/{roof}").path == f"/projects/{roof}"


def options_of(web):
    found = json.loads(web.get(f"{PASSKEYS}/new.json", Accept="application/json").source)
    return found["passkey"]["options"]


def codes_in(page):
    return set(re.findall(r"(?:[a-z2-7]{6}-){3}[a-z2-7]{6}", page.text))


def test_recovery_codes_come_with_the_first_passkey_and_go_with_the_last(world, surfing, ada, code_app):
    web, devices = surfing(ada), [Authenticator(world.host), Authenticator(world.host)]
    made = []
    for device in devices:
        answer = {"passkey[name]": "Key", "passkey[answer]": device.make(options_of(web))}
        page = web.submit(web.get("/profile"), PASSKEYS, **answer)
        made.append(codes_in(page))
    assert (len(made[0]), made[1], page.path) == (10, set(), "/profile")
    other = surfing()
    assert other.submit(begin(other, ada), FACTOR, code=made[0].pop()).path == "/"
    for number in (1, 2):
        assert "are left" in web.get("/profile").text
        web.submit(web.get("/profile"), f"{PASSKEYS}/{number}", "delete")
    assert world.client(**basic(ada.email, PASSWORD)).get("/profile/recovery-codes").item["left"] == 0


def test_the_first_factor_and_one_that_is_removed_end_other_sessions(world, surfing, ada, ben, code_app):
    here, elsewhere, another = surfing(ada), surfing(ada), surfing(ben)
    page = code_app.set_up(here)
    assert "other browsers were signed out" in page.text
    assert [web.get("/profile").path[:8] for web in (here, elsewhere, another)] == [
        "/profile",
        "/sign-in",
        "/profile",
    ]
    elsewhere.submit(begin(elsewhere, ada), FACTOR, code=code_app.next())
    here.submit(here.get("/profile"), SET_UP, "delete")
    assert [web.get("/profile").path[:8] for web in (here, elsewhere)] == ["/profile", "/sign-in"]


def test_from_the_day_of_a_demand_passwords_alone_are_refused_and_tokens_work(world, ada, ben, code_app):
    assert demand(world, ada, day(code_app, 0)).status == 200
    answer = world.client(**basic(ben.email, PASSWORD)).get("/profile")
    assert (answer.status, "requires a second factor" in answer.errors[0]) == (401, True)
    assert ben.get("/profile").status == 200
    assert ada.get("/account").item["factors_from"] == day(code_app, 0)


def test_the_server_can_demand_it_of_administrators(world, surfing, ada, ben, monkeypatch):
    monkeypatch.setattr(world.database, "administrators_need_factors", True)
    assert surfing(ada).get("/").path == f"{SET_UP}?next=%2F"
    assert surfing(ben).get("/").path == "/"


def test_an_administrator_sets_the_day_on_the_page(surfing, ada, code_app):
    web = surfing(ada)
    wanted = day(code_app, 30)
    page = web.submit(web.get("/administration"), "/account", **{"account[factors_from]": wanted})
    assert ("account[factors_from]", wanted) in page.form("/account").fields
    page = web.submit(page, "/account", **{"account[factors_from]": "soon"})
    assert (page.status, "Factors from must be" in page.text) == (422, True)
    page = web.submit(web.get("/administration"), "/account", **{"account[factors_from]": ""})
    assert ("account[factors_from]", "") in page.form("/account").fields
