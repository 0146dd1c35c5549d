"""Strangers sign up: they prove their address, and administrators approve them or let everybody in."""

import pytest

from skerry.tracker.audit import chain
from skerry.tracker.auth import sign_ups
from tests.conftest import PASSWORD, build_world
from tests.mail.mails import verify
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.mail_server import link_in

pytestmark = pytest.mark.matrix("both")

OWN = "a boat full of sails"


@pytest.fixture
def opened(in_person, post):
    assert in_person.put("/account", {"account": {"sign_up": "open"}}).item["sign_up"] == "open"
    return post


@pytest.fixture
def guarded(in_person, post):
    assert in_person.put("/account", {"account": {"sign_up": "approval"}}).status == 200
    return post


def ask(world, email, name="Dora"):
    return world.client().post("/sign-up", {"sign_up": {"email": email, "name": name}})


def finish(world, path, password=OWN, name="Dora"):
    return world.client().post(path, {"new_person": {"name": name, "password": password}})


def address(world, name="dora"):
    """Return an address that nobody has in another account, either."""
    return f"{name}@mail.{world.host}"


def signed_up(world, post, name="Dora"):
    """Let somebody sign up, and return the answer to their password."""
    email = address(world, name.lower())
    assert ask(world, email, name).status == 200
    ((recipients, message),) = post.deliver()
    assert recipients == [email]
    return finish(world, link_in(message), name=name)


def as_dora(world):
    return world.client(**basic(address(world), OWN))


def test_nobody_signs_up_unless_the_account_allows_it(world, post, in_person):
    assert in_person.get("/account").item["sign_up"] == "off"
    refused = ask(world, address(world))
    assert (refused.status, refused.errors) == (403, [sign_ups.OFF_HERE])
    assert post.deliver() == []
    wrong = in_person.put("/account", {"account": {"sign_up": "maybe"}})
    assert wrong.errors == ["Sign up is not one of off, approval, open"]


def test_sign_up_needs_mail(in_person):
    refused = in_person.put("/account", {"account": {"sign_up": "open"}})
    assert (refused.status, refused.errors) == (422, [sign_ups.NEEDS_MAIL])
    assert in_person.put("/account", {"account": {"sign_up": "off"}}).status == 200


def test_a_change_of_the_setting_is_in_the_log(world, opened, in_person):
    assert opened
    chain.seal_new(world.database, [world.account_id])
    (found,) = in_person.get("/administration/audit?kind=account.updated").items
    assert found["details"]["sign_up"] == ["off", "open"]


def test_a_person_who_signed_up_is_a_guest_of_public_projects(world, opened, harbour, roof):
    made = signed_up(world, opened).item
    assert (made["state"], made["name"], "password" in made and made["password"]) == ("joined", "Dora", "")
    dora = as_dora(world)
    assert dora.get("/profile").item["id"] == made["id"]
    assert dora.get("/profile/preferences").item["email_verified"] is True
    assert dora.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "It leaks"}}).status == 201
    assert [dora.get(f"/projects/{roof}").status, dora.get("/people").status] == [404, 403]
    assert dora.post("/projects", {"project": {"name": "Mine"}}).status == 403


def test_a_link_works_once(world, opened):
    ask(world, address(world))
    ((_, message),) = opened.deliver()
    path = link_in(message)
    assert world.client().get(path).item["email"] == address(world)
    assert finish(world, path, password="short").status == 422
    assert [finish(world, path).status, finish(world, path).status] == [200, 404]
    assert world.client().get(path).status == 404


def test_a_link_expires_after_a_day(world, opened, clock):
    ask(world, address(world))
    ((_, message),) = opened.deliver()
    clock.turn(days=1)
    assert finish(world, link_in(message)).status == 404


def test_an_address_with_a_login_is_told_so_by_mail_alone(world, ben, opened):
    known, new = ask(world, ben.email), ask(world, address(world))
    assert (known.status, known.body) == (new.status, new.body)
    (told, message), (_, other) = opened.deliver()
    assert told == [ben.email]
    text = message.get_body(("plain",)).get_content()
    assert "already has a login" in text
    assert ["/sign-up/" in each.as_string() for each in (message, other)] == [False, True]


def test_a_login_of_another_account_signs_up_here_as_well(world, opened, harbour):
    eve = world.outsider("eve")
    ticket = {"ticket": {"title": "It leaks"}}
    assert eve.post(f"/projects/{harbour}/tickets", ticket).status == 403
    ask(world, eve.email)
    ((told, message),) = opened.deliver()
    assert told == [eve.email]
    made = finish(world, link_in(message)).item
    assert (made["state"], made["id"] == eve.user_id) == ("joined", False)
    here = world.client(**basic(eve.email, OWN))
    assert here.post(f"/projects/{harbour}/tickets", ticket).status == 201
    ask(world, eve.email)
    ((_, again),) = opened.deliver()
    assert "already has a login" in again.get_body(("plain",)).get_content()


def test_a_login_that_was_made_meanwhile_is_not_replaced(world, opened, in_person):
    ask(world, address(world))
    ((_, message),) = opened.deliver()
    in_person.post("/invitations", {"invitation": {"email": address(world), "role": "member"}})
    ((_, invited),) = opened.deliver()
    world.client().post(link_in(invited), {"welcome": {"name": "Dora", "password": PASSWORD}})
    assert finish(world, link_in(message)).status == 409
    assert as_dora(world).get("/profile").status == 401


def test_a_person_who_signed_up_is_unknown_in_other_accounts_even_after_a_reset(world, opened):
    other = build_world(world.instance, world.log, world.format)
    signed_up(world, opened)
    assert other.client(**basic(address(world), OWN)).get("/profile").status == 401
    world.client().post("/password-reset", {"password_reset": {"email": address(world)}})
    ((_, message),) = opened.deliver()
    assert world.client().post(link_in(message), {"new_password": {"password": PASSWORD}}).status == 200
    statuses = [
        each.client(**basic(address(world), PASSWORD)).get("/profile").status for each in (world, other)
    ]
    assert statuses == [200, 401]


def test_with_approval_people_wait_and_are_told_so(world, guarded, in_person):
    made = signed_up(world, guarded).item
    assert (made["state"], made["id"]) == ("waiting", None)
    waits = as_dora(world).get("/profile")
    assert (waits.status, "waits for an administrator" in waits.errors[0]) == (401, True)
    wrong = world.client(**basic(address(world), "wrong horse")).get("/profile")
    nobody = world.client(**basic(address(world, "eve"), "wrong horse")).get("/profile")
    assert wrong.errors == nobody.errors
    (applicant,) = in_person.get("/applicants").items
    assert (applicant["name"], applicant["email"]) == ("Dora", address(world))
    assert in_person.get(f"/applicants/{applicant['id']}").item == applicant
    decided = in_person.post(
        "/applicants/decision", {"decision": {"ids": [applicant["id"]], "approve": True}}
    )
    assert decided.item["count"] == 1
    assert [message["subject"] for _, message in guarded.deliver()] == [
        f"You can sign in to {name_of(world)}"
    ]
    assert as_dora(world).get("/profile").status == 200
    assert in_person.get("/applicants").items == []


def name_of(world):
    return world.client(**basic(world.people["ada"].email, PASSWORD)).get("/account").item["name"]


def test_several_are_refused_at_once_and_get_no_more_mail(world, guarded, in_person, clock):
    for name in ("dora", "eve"):
        signed_up(world, guarded, name)
    ids = [each["id"] for each in in_person.get("/applicants").items]
    assert in_person.post("/applicants/decision", {"decision": {"ids": ids}}).item["count"] == 2
    assert as_dora(world).get("/profile").errors == ["Wrong login or password"]
    for wait, mails in (({}, 0), ({"days": 30, "microseconds": -1}, 0), ({"microseconds": 1}, 1)):
        clock.turn(**wait)
        assert (ask(world, address(world)).status, len(guarded.deliver())) == (200, mails)


def test_a_decision_names_at_least_one_applicant(in_person):
    refused = in_person.post("/applicants/decision", {"decision": {"ids": [], "approve": True}})
    assert (refused.status, refused.errors) == (422, ["Ids can't be blank; choose at least one applicant"])
    assert in_person.post("/applicants/decision", {"decision": {"ids": [987654]}}).item["count"] == 0
    for most, status in ((100, 200), (101, 422)):
        ids = list(range(900_000, 900_000 + most))
        assert in_person.post("/applicants/decision", {"decision": {"ids": ids}}).status == status


def test_administrators_are_told_once_an_hour(world, ada, guarded, clock):
    verify(world, ada)
    told = []
    for number in range(3):
        ask(world, address(world, f"dora{number}"))
        messages = guarded.deliver()
        path = next(link_in(message) for _, message in messages if "/sign-up/" in message.as_string())
        finish(world, path)
        told += [message["subject"] for recipients, message in messages if recipients == [ada.email]]
    told += [message["subject"] for _, message in guarded.deliver()]
    assert [subject.split(" in ")[0] for subject in told] == ["1 person waits for approval"]
    clock.turn(minutes=59)
    assert guarded.deliver() == []
    clock.turn(minutes=1)
    ((recipients, message),) = guarded.deliver()
    assert recipients == [ada.email]
    assert message["subject"].startswith("3 people wait for approval")
    assert "/applicants" in message.get_body(("plain",)).get_content()


def test_too_many_sign_ups_are_refused_with_a_time(world, opened, clock):
    assert [ask(world, address(world)).status for _ in range(3)] == [200, 200, 200]
    refused = ask(world, address(world))
    assert (refused.status, int(refused.headers["retry-after"]) > 0) == (429, True)
    for number in range(sign_ups.LIMITS.network - 3):
        assert ask(world, address(world, f"dora{number}")).status == 200
    refused = ask(world, address(world, "other"))
    assert (refused.status, "Too many of these mails" in refused.errors[0]) == (429, True)
    clock.turn(hours=1)
    assert ask(world, address(world, "other")).status == 200
    assert len(opened.deliver()) == sign_ups.LIMITS.network - 3 + 2


@pytest.mark.usefixtures("opened")
def test_sign_ups_and_new_passwords_are_limited_apart(world):
    asked = [ask(world, address(world, f"d{number}")).status for number in range(sign_ups.LIMITS.network + 1)]
    assert asked == [200] * sign_ups.LIMITS.network + [429]
    reset = {"password_reset": {"email": address(world)}}
    assert world.client().post("/password-reset", reset).status == 200


@pytest.mark.usefixtures("opened")
def test_too_many_sign_ups_are_refused_on_the_page_too(world):
    web = WebClient(world.instance.application, world.host)
    fields = {"sign_up[name]": "Dora", "sign_up[email]": address(world)}
    pages = [web.submit(web.get("/sign-up"), "/sign-up", **fields) for _ in range(4)]
    assert [page.status for page in pages] == [200, 200, 200, 429]
    assert "try again in" in pages[-1].text
    assert int(pages[-1].headers["retry-after"]) > 0


@pytest.mark.parametrize("email", ["", "dora", "dora@", "a b@example.org", f"{'x' * 300}@example.org"])
def test_a_bad_address_is_refused_with_a_sentence(world, opened, email):
    assert opened
    refused = ask(world, email)
    assert (refused.status, refused.errors[0].startswith("Email")) == (422, True)


@pytest.mark.parametrize("name", ["", " ", "\u200b", "A\u202eB", "x" * 256])
def test_a_bad_name_is_refused_with_a_sentence(world, opened, name):
    assert opened
    refused = ask(world, address(world), name)
    assert (refused.status, refused.errors[0].startswith("Name")) == (422, True)


def test_the_pages_lead_through_it(world, opened):
    web = WebClient(world.instance.application, world.host)
    assert "/sign-up" in web.get("/sign-in").source
    fields = {"sign_up[name]": "Dora", "sign_up[email]": address(world)}
    asked = web.submit(web.get("/sign-up"), "/sign-up", **fields)
    assert "A mail is on its way" in asked.text
    ((_, message),) = opened.deliver()
    page = web.submit(web.get(link_in(message)), link_in(message), **{"new_person[password]": OWN})
    assert (page.status, page.path, "Welcome!" in page.text) == (200, "/sign-up?done=joined", True)
    assert "Sign out" in web.get("/").text


def test_pages_offer_sign_up_only_where_it_is_allowed(world, ada, opened, in_person, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "It leaks"}})
    web, places = (
        WebClient(world.instance.application, world.host),
        ("/", "/sign-in", f"/projects/{harbour}/tickets/1"),
    )
    assert opened
    assert ['href="/sign-up"' in web.get(place).source for place in places] == [True, True, True]
    in_person.put("/account", {"account": {"sign_up": "off"}})
    assert ['href="/sign-up"' in web.get(place).source for place in places] == [False, False, False]
    assert "Nobody can sign up here" in web.get("/sign-up").text


def test_administrators_decide_on_a_page(world, ada, guarded):
    web = WebClient(world.instance.application, world.host)
    made = signed_up(world, guarded)
    assert made.status == 200
    web.sign_in(ada.email, PASSWORD)
    assert "1 person waits for approval" in web.get("/administration").text
    page = web.get("/applicants")
    assert address(world) in page.text
    done = web.submit(page, "/applicants/decision", **{"decision[approve]": "true"})
    assert (done.path, "Nobody waits for approval" in done.text) == ("/applicants?saved", True)
    assert as_dora(world).get("/profile").status == 200
