"""What an outsider learns: nothing about what he may not see, and nothing across accounts.

The account "quartz" has projects that are full of the words "quartzprivate" and "quartzarchived",
which nobody outside may ever read; "opal" holds the same things under the same ids. Outsiders walk
every address of the routing table.
"""

import re
from dataclasses import replace
from urllib.parse import quote

import pytest

from skerry.resources.people import Preferences
from skerry.tracker.access import Permission
from skerry.web.routes.credentials import PASSKEYS
from skerry.web.routes.table import ROUTES
from tests.support import matrix
from tests.support.client import JSON, XML
from tests.support.isolation import NOBODY, OUTSIDE, OUTSIDERS, ask, check_silent, seen
from tests.support.newcomers import sign_up
from tests.support.resources import MISSING
from tests.support.route_matrix import (
    ADMINISTRATOR,
    ANONYMOUS,
    MEMBER,
    ONE_PROJECT,
    OTHER_ACCOUNT,
    OTHER_PROJECT,
    READ_ONLY,
    STRANGER,
    body_for,
    name_of,
    signed_in,
)

# A push proves itself by its signature, whoever sends it; test_forges.py shows what it reveals.
LINES = [
    route
    for route in ROUTES
    if route.path.startswith(("/projects/{", "/attachments/", "/profile/lists/{"))
    and "/pushes/" not in route.path
]


@pytest.fixture(params=OUTSIDERS)
def who(request):
    return request.param


# --- What is hidden answers as what is not there ---------------------------------------------------

VALUES = b'{"ticket": {"title": "", "milestone_id": "x"}, "project": {"name": ""}, "version": {"body": 1}}'
FILE = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nx\r\n--b--\r\n'

READS = {
    "simply": {},
    "without a body": {"method": "HEAD"},
    "about its methods": {"method": "OPTIONS"},
    "if it is there": {"If-Match": "*"},
    "if it is not there": {"If-None-Match": "*"},
    "if it has changed": {"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"},
    "in part": {"Range": "bytes=5-4"},
    "for a second page": {"query": "?page=2&limit=1"},
    "for no page": {"query": "?page=0"},
    "with a query": {"query": "?q=quartzprivate"},
    "with a query that is none": {"query": "?q=state:"},
}

WRITES = {
    "simply": {},
    "by a method that is none": {"method": "PATCH"},
    "with a broken body": {"raw": b"<ticket", "kind": XML},
    "with a body of no kind": {"raw": b"x", "kind": "text/plain"},
    "with another resource": {"raw": b'{"pencil": {}}', "kind": JSON},
    "with wrong values": {"raw": VALUES, "kind": JSON},
    "with an endless body": {"raw": b"[" * 1000, "kind": JSON},
    "with a form": {"raw": b"ticket[title]=x", "kind": "application/x-www-form-urlencoded"},
    "with a form of another method": {
        "method": "POST",
        "raw": b"_method=delete",
        "kind": "application/x-www-form-urlencoded",
    },
    "with a file": {"raw": FILE, "kind": "multipart/form-data; boundary=b"},
    "with a broken file": {"raw": FILE[:50], "kind": "multipart/form-data; boundary=b"},
    "if it is there": {"If-Match": "*"},
    "if it is as it was": {"If-Match": '"0"'},
    "once": {"Idempotency-Key": "k"},
    "once with a key that is none": {"Idempotency-Key": ""},
    "by another method": {"method": "POST", "X-HTTP-Method-Override": "DELETE"},
}

# What may differ with the format or the database; the others are asked in JSON on SQLite.
EVERYWHERE = ("simply", "with a query", "if it is there", "with wrong values")

# Those who are known here are told 404, the others 401.
UNKNOWN = (ANONYMOUS, OTHER_ACCOUNT)
KNOWN = tuple(who for who in OUTSIDERS if who not in UNKNOWN)

# What is answered before anybody is asked who he is.
EARLIER = {"about its methods": 200, "for no page": 422}


@pytest.mark.parametrize("route", LINES, ids=name_of)
def test_a_hidden_project_and_a_missing_one_look_the_same(isolation, route):
    ways, turn = READS if route.method == "GET" else WRITES, LINES.index(route)
    asked = ways if is_full(isolation) else [how for how in EVERYWHERE if how in ways]
    for number, how in enumerate(asked, turn):
        is_whole = route.method == "GET" or "raw" in ways[how]
        sent = ways[how] if is_whole else {"data": body_for(route), **ways[how]}
        for who in those_who_ask(how, number, everybody=is_full(isolation)):
            check_hidden(isolation, who, route, how, sent)


def is_full(isolation):
    """Return whether everything is asked here, not only what the format or the database may change."""
    return isolation.account.world.format == "json"


def those_who_ask(how, number, *, everybody):
    """Return who asks in some way: in turns, so that each line is asked in each way and each asks in each."""
    if how == "simply" and everybody:
        return OUTSIDERS
    turns = how == "simply" or (everybody and number % 3 == 0)
    return KNOWN[number % len(KNOWN)], *((UNKNOWN[number % len(UNKNOWN)],) if turns else ())


def check_hidden(isolation, who, route, how, sent):
    """Assert that what is hidden looks like what is nowhere, and does not say what it holds."""
    numbers = (*isolation.site.values.values(), *MISSING.values())
    there, nowhere = isolation.ask(who, route, **sent), isolation.ask(who, route, MISSING, **sent)
    assert seen(there, *numbers) == seen(nowhere, *numbers), (who, how)
    if how == "simply":
        project = {"projects": isolation.site.values["projects"]}
        inside = isolation.ask(who, route, {**MISSING, **project}, **sent)
        assert seen(there, *numbers) == seen(inside, *numbers), who
    # What is wrong with a request is told to those who may make it.
    assert there.status in (401, 404, 405, EARLIER.get(how)), (who, how)
    check_silent(there)


def test_a_name_does_not_find_a_hidden_file(isolation, who):
    route = next(route for route in ROUTES if route.path.startswith("/attachments/"))
    path = isolation.site.path(route)
    answers = [
        ask(isolation.outsiders[who], "GET", each)
        for each in (path, f"{path}x", f"/attachments/{NOBODY}/notes.txt")
    ]
    assert seen(answers[0]) == seen(answers[1]) == seen(answers[2])


@pytest.mark.parametrize("who", [ANONYMOUS, STRANGER, OUTSIDE])
def test_the_tokens_and_people_of_others_look_like_none(isolation, who):
    dee = isolation.account.world.people["dee"]
    for known, unknown in (
        (f"/tokens/{dee.headers['X-ServiceToken']}", f"/tokens/{'0' * 40}"),
        (f"/users/{dee.user_id}", f"/users/{NOBODY}"),
        (f"/users/{dee.user_id}/memberships", f"/users/{NOBODY}/memberships"),
    ):
        for method, data in (
            ("GET", None),
            ("POST", {"user": {"name": ""}}),
            ("PUT", {"user": {"job": "x"}}),
        ):
            pair = [ask(isolation.outsiders[who], method, path, data) for path in (known, unknown)]
            assert seen(pair[0]) == seen(pair[1])
            check_silent(pair[0])


def test_a_wrong_password_and_an_unknown_login_look_the_same(isolation):
    emails = (isolation.account.world.people["dee"].email, "nobody@nowhere.example")
    pair = [ask(signed_in(isolation.account, email, "wrong password"), "GET", "/profile") for email in emails]
    assert pair[0].status == 401
    assert seen(pair[0]) == seen(pair[1])


# --- Nothing hidden stands in any answer -----------------------------------------------------------


FULLY, BRIEFLY = matrix.BOTH
ASKING = [*((FULLY, who) for who in OUTSIDERS), (BRIEFLY, ANONYMOUS), (BRIEFLY, STRANGER)]


@pytest.mark.parametrize(
    ("isolation", "who"),
    ASKING,
    indirect=["isolation"],
    ids=lambda each: "-".join(each) if type(each) is tuple else each,
)
def test_no_answer_holds_anything_hidden_or_an_email_address(isolation, who):
    for method, path, route in questions(isolation):
        data = body_for(route) if method == route.method else None
        check_silent(ask(isolation.outsiders[who], method, path, data))


def questions(isolation):
    """Return what can be asked: each method and address once, with the line that it comes from."""
    # Whoever has the code of an invitation is whom it names; preferences, and what a new passkey is made for,
    # are the caller's own.
    routes = [route for route in ROUTES if route.permission is not Permission.CAPABILITY_LINK]
    routes = [route for route in routes if route.path != f"{PASSKEYS}/new"]
    sites = isolation.account.sites if is_full(isolation) else ("archived", "public")
    asked = {}
    for route in (route for route in routes if route.kind is not Preferences):
        for each in (MISSING, *(isolation.account.sites[kind].values for kind in sites)):
            # What the private project and none answer to its lines is silent above.
            if route in LINES and each in (MISSING, isolation.site.values):
                continue
            for method in {"GET", route.method} - {"DELETE"}:
                path = isolation.site.path(route, **each)
                if (method, path) not in asked or method == route.method:
                    asked[method, path] = route
    return [(*question, route) for question, route in asked.items()]


@pytest.mark.parametrize("who", [ANONYMOUS, STRANGER, OUTSIDE, OTHER_PROJECT])
def test_lists_hold_and_count_what_the_caller_sees_and_no_more(isolation, who):
    client, sites = isolation.outsiders[who], isolation.account.sites
    public = {sites[kind].values["projects"] for kind in ("public", "archived public")}
    listed = {item["id"] for item in client.get("/projects").items if item["name"] != "Elsewhere"}
    assert listed == (set() if who == OTHER_PROJECT else public)
    for path in ("/tickets", "/milestones"):
        check_count(client, path, listed)


def check_count(client, path, projects):
    """Assert that a list over all projects counts and pages what these hold."""
    whole = client.get(f"{path}?limit=100")
    held = [int(client.get(f"/projects/{project}{path}").headers["x-total-count"]) for project in projects]
    assert int(whole.headers["x-total-count"]) == len(whole.items) == sum(held)
    assert {item["project_id"] for item in whole.items} == projects
    first = client.get(f"{path}?limit=1")
    last = re.search(r'page=(\d+)>; rel="last"', first.headers["link"])
    assert int(last[1]) == max(1, sum(held))
    pages = re.search(rb"total_pages\W+(\d+)", first.body)
    assert pages is None or int(pages[1]) == max(1, sum(held))


@pytest.mark.parametrize("who", [ANONYMOUS, STRANGER, OUTSIDE, OTHER_PROJECT])
@pytest.mark.parametrize("key", ["", "project:", "milestone:", "responsible:", "tagged:", "title:", "state:"])
def test_a_search_for_hidden_words_finds_what_a_search_for_nothing_finds(isolation, who, key):
    for path in ("/tickets", f"/projects/{isolation.account.sites['public'].values['projects']}/tickets"):
        words = ("quartzprivate", "nothing")
        pair = [ask(isolation.outsiders[who], "GET", f"{path}?q={key}{word}&limit=100") for word in words]
        assert seen(pair[0], *words) == seen(pair[1], *words)


@pytest.mark.parametrize("who", [ANONYMOUS, STRANGER, OUTSIDE])
def test_a_search_does_not_reveal_the_owner_of_an_email_address(isolation, who):
    emails = (isolation.account.world.people["ada"].email, "nobody@nowhere.example")
    for path in ("/tickets", f"/projects/{isolation.account.sites['public'].values['projects']}/tickets"):
        pair = [ask(isolation.outsiders[who], "GET", f"{path}?q=reported_by:{email}") for email in emails]
        assert seen(pair[0], *map(quote, emails)) == seen(pair[1], *map(quote, emails))


def test_hidden_changes_do_not_affect_visible_pages(isolation):
    lists = ("/projects", "/tickets?limit=100", "/milestones?limit=100", "/events?limit=100")
    before = [in_sight(isolation, path) for path in lists]
    ticket = {"ticket": {"title": "quartzprivate"}}
    assert isolation.account.founder.post(f"{isolation.project}/tickets", ticket).status == 201
    assert [in_sight(isolation, path) for path in lists] == before


def in_sight(isolation, path):
    """Return what a stranger sees of a list, without its cursors, of which no two are alike."""
    answer = ask(isolation.outsiders[STRANGER], "GET", path)
    cursors = re.findall(r"after=([\w-]+)", answer.headers.get("link", ""))
    return seen(answer, *cursors, *filter(None, [answer.headers.get("x-last-event-id")]))


# --- Two accounts, the same ids --------------------------------------------------------------------


def test_the_same_address_at_two_hosts_shows_two_accounts(isolation):
    for account, foreign in ((isolation.pair.here, "quartz"), (isolation.pair.there, "opal")):
        sites = account.sites if is_full(isolation) else ("private",)
        reads = [route for route in ROUTES if route.method == "GET"]
        asked = {account.sites[kind].path(route): (kind, route) for kind in sites for route in reads}
        for kind, route in asked.values():
            answer = account.sites[kind].send(ADMINISTRATOR, route)
            assert foreign not in seen(answer)[1].lower(), route


KEYS = (MEMBER, ADMINISTRATOR, READ_ONLY, ONE_PROJECT, OTHER_PROJECT)


def test_no_key_of_one_account_opens_anything_in_the_other(isolation):
    # In the public project a key that opens nothing could pass for none, too.
    here, there = (account.sites["public"] for account in (isolation.pair.here, isolation.pair.there))
    keys = [replace(here.clients[who], host=isolation.account.world.host) for who in KEYS]
    for number, route in enumerate(ROUTES):
        for key in keys if is_full(isolation) else [keys[number % len(keys)]]:
            answer = ask(key, route.method, there.path(route), body_for(route))
            assert answer.status == 401, route
            check_silent(answer)


def test_a_repeated_request_is_never_answered_from_another_account(isolation):
    guest = isolation.pair.here.world.outsider("guest")
    for account in (isolation.pair.here, isolation.pair.there):
        with account.world.write() as transaction:
            sign_up(transaction, guest.user_id, guest.email)
        user = signed_in(account, guest.email)
        path = f"/projects/{account.sites['public'].values['projects']}/tickets"
        answer = user.post(path, {"ticket": {"title": "Once"}}, Idempotency_Key="the same")
        assert answer.headers["location"].startswith(f"http://{account.world.host}/")
