"""Who may do what: every route, for everybody, in projects of every kind, in both formats.

What is expected is said here a second time, by someone who has not read how the product decides it.
"""

import re
from functools import cache

import pytest

from skerry.web.routes.table import ROUTES
from tests.conftest import untroubled
from tests.support import matrix
from tests.support.route_matrix import (
    ADMINISTRATOR,
    ANONYMOUS,
    KINDS,
    MEMBER,
    ONCE,
    OTHER_ACCOUNT,
    OTHER_PROJECT,
    READ_ONLY,
    STRANGER,
    WHO,
    TwoAccounts,
    name_of,
)

PROJECT = "/projects/{project_id}"
LINKS = ("verification", "password-reset", "sign-up", "token-requests", "unsubscribe")


@pytest.fixture(scope="session")
def pair_in(request):
    @cache
    def pair(database, form):
        instance, log = request.getfixturevalue(f"{database}_instance")
        return TwoAccounts(instance, log, form), log

    return pair


@pytest.fixture(params=matrix.BOTH, ids="-".join)
def pair(request, pair_in):
    pair, log = pair_in(*request.param)
    with untroubled(log):
        yield pair


# --- What is expected ------------------------------------------------------------------------------


def everybody(*statuses):
    """Return the statuses for those who may come, in their order; another account's token is 401 always."""
    return dict(zip(WHO, [*statuses, 401], strict=True))


#                             anonymous  stranger  member  admin  read-only  one project  other project
LISTS = everybody(200, 200, 200, 200, 200, 200, 200)
PROFILE = everybody(401, 200, 200, 200, 200, 200, 200)
CHANGE_OF_PROFILE = everybody(401, 200, 200, 200, 403, 403, 403)
ADMINISTERED = everybody(401, 403, 403, 200, 403, 403, 403)
IN_PERSON = everybody(401, 403, 403, 403, 403, 403, 403)
CHANGE_OF_BEN = everybody(401, 404, 200, 403, 403, 403, 403)

# What is in no project: the lists are empty for those who see nothing; the user and the token are Ben's.
IN_NO_PROJECT = {
    "GET /projects": LISTS,
    "GET /tickets": LISTS,
    "GET /milestones": LISTS,
    "GET /query/suggest": LISTS,
    "GET /activity": LISTS,
    "GET /events": LISTS,
    "POST /projects": everybody(401, 403, 201, 201, 403, 403, 403),
    "GET /projects/new": everybody(401, 403, 200, 200, 403, 403, 403),
    "GET /profile/lists/all": PROFILE,
    "PUT /profile/lists/all": everybody(401, 200, 200, 200, 403, 200, 200),
    "GET /profile": PROFILE,
    "POST /profile": CHANGE_OF_PROFILE,
    "PUT /profile": CHANGE_OF_PROFILE,
    "GET /users/{id}": everybody(401, 404, 200, 200, 200, 200, 200),
    "POST /users/{id}": CHANGE_OF_BEN,
    "PUT /users/{id}": CHANGE_OF_BEN,
    "GET /users/{id}/memberships": everybody(401, 404, 200, 200, 200, 200, 200),
    "PUT /profile/avatar": CHANGE_OF_PROFILE,
    "DELETE /profile/avatar": CHANGE_OF_PROFILE,
    # Nobody can guess the address of a picture.
    "GET /avatars/{code}": LISTS,
    "GET /account": ADMINISTERED,
    "PUT /account": IN_PERSON,
    "GET /administration/health": ADMINISTERED,
    "GET /administration/backlog": ADMINISTERED,
    "GET /administration/audit": ADMINISTERED,
    "POST /mail": ADMINISTERED,
    "GET /sending": ADMINISTERED,
    "PUT /sending": IN_PERSON,
    "GET /people": ADMINISTERED,
    "GET /people/removed": ADMINISTERED,
    "GET /people/placeholders": ADMINISTERED,
    "GET /people/placeholders/{id}": ADMINISTERED,
    "PUT /people/placeholders/{id}": IN_PERSON,
    "GET /people/service-users": ADMINISTERED,
    "POST /people/service-users": IN_PERSON,
    "GET /people/service-users/{user_id}": ADMINISTERED,
    "PUT /people/service-users/{user_id}": IN_PERSON,
    "GET /people/service-users/{user_id}/tokens": ADMINISTERED,
    "POST /people/service-users/{user_id}/tokens": IN_PERSON,
    "POST /people/service-users/{user_id}/tokens/{id}/replace": IN_PERSON,
    "GET /people/service-users/{user_id}/tokens/{id}": ADMINISTERED,
    "DELETE /people/service-users/{user_id}/tokens/{id}": IN_PERSON,
    "GET /people/{id}": ADMINISTERED,
    "PUT /people/{id}": IN_PERSON,
    "DELETE /people/{id}": IN_PERSON,
    "DELETE /people/{id}/sessions": IN_PERSON,
    "GET /removals": ADMINISTERED,
    "POST /people/{id}/restore": IN_PERSON,
    "GET /imports": ADMINISTERED,
    "POST /imports": IN_PERSON,
    "GET /imports/{id}": ADMINISTERED,
    "PUT /imports/{id}": IN_PERSON,
    "DELETE /imports/{id}": IN_PERSON,
    "POST /imports/{id}/start": IN_PERSON,
    "GET /invitations": ADMINISTERED,
    "POST /invitations": IN_PERSON,
    "POST /invitations/batch": IN_PERSON,
    "GET /invitations/{id}": ADMINISTERED,
    "DELETE /invitations/{id}": IN_PERSON,
    "GET /welcome/{code}": LISTS,
    "POST /welcome/{code}": everybody(200, 200, 200, 200, 403, 200, 200),
    # The signature tells who it is from; a ping changes nothing, also in an archived project.
    "POST /projects/{project_id}/pushes/{kind}": everybody(200, 200, 200, 200, 403, 200, 200),
    # Somebody is there already.
    "GET /set-up/{code}": everybody(404, 404, 404, 404, 404, 404, 404),
    "POST /set-up/{code}": everybody(404, 404, 404, 404, 403, 404, 404),
    # Those here come with tokens, and what makes or ends keys is done in person.
    "GET /profile/tokens": IN_PERSON,
    "POST /profile/tokens": IN_PERSON,
    "DELETE /profile/tokens": IN_PERSON,
    "POST /profile/tokens/{id}/replace": IN_PERSON,
    "GET /profile/tokens/{id}": IN_PERSON,
    "DELETE /profile/tokens/{id}": IN_PERSON,
    "POST /profile/token-requests": IN_PERSON,
    "POST /profile/token-requests/{code}": everybody(200, 200, 200, 200, 403, 200, 200),
    "GET /profile/feeds": IN_PERSON,
    "POST /profile/feeds": IN_PERSON,
    "GET /profile/feeds/{id}": IN_PERSON,
    "DELETE /profile/feeds/{id}": IN_PERSON,
    # Whoever has the address reads as Ben, whose feed it is.
    "GET /feeds/{code}": LISTS,
    "GET /profile/sessions": IN_PERSON,
    "DELETE /profile/sessions": IN_PERSON,
    "DELETE /profile/sessions/{id}": IN_PERSON,
    "GET /profile/identities": IN_PERSON,
    "DELETE /profile/identities/{id}": IN_PERSON,
    "GET /profile/time-codes": IN_PERSON,
    "POST /profile/time-codes": IN_PERSON,
    "PUT /profile/time-codes": IN_PERSON,
    "DELETE /profile/time-codes": IN_PERSON,
    "GET /profile/recovery-codes": IN_PERSON,
    "POST /profile/recovery-codes": IN_PERSON,
    "DELETE /people/{id}/factors": IN_PERSON,
    "GET /profile/passkeys": IN_PERSON,
    "GET /profile/passkeys/new": IN_PERSON,
    "POST /profile/passkeys": IN_PERSON,
    "GET /profile/passkeys/{id}": IN_PERSON,
    "PUT /profile/passkeys/{id}": IN_PERSON,
    "DELETE /profile/passkeys/{id}": IN_PERSON,
    "PUT /profile/password": IN_PERSON,
    "GET /profile/preferences": IN_PERSON,
    # Mail is off where these come.
    "POST /profile/verification": IN_PERSON,
    "GET /verification/{code}": LISTS,
    "POST /verification/{code}": everybody(200, 200, 200, 200, 403, 200, 200),
    "GET /password-reset": LISTS,
    "POST /password-reset": everybody(409, 409, 409, 409, 403, 409, 409),
    "GET /password-reset/{code}": LISTS,
    "POST /password-reset/{code}": everybody(200, 200, 200, 200, 403, 200, 200),
    # Mail is off, so nobody can sign up.
    "GET /sign-up": LISTS,
    "POST /sign-up": everybody(403, 403, 403, 403, 403, 403, 403),
    "GET /sign-up/{code}": everybody(403, 403, 403, 403, 403, 403, 403),
    "POST /sign-up/{code}": everybody(403, 403, 403, 403, 403, 403, 403),
    "GET /spam-removals": ADMINISTERED,
    "GET /spam-removals/{id}": ADMINISTERED,
    "PUT /spam-removals/{id}": IN_PERSON,
    "POST /spam-removals/{id}/undo": IN_PERSON,
    "GET /applicants": ADMINISTERED,
    "GET /applicants/{id}": ADMINISTERED,
    "POST /applicants/decision": IN_PERSON,
    "GET /unsubscribe/{code}": LISTS,
    "POST /unsubscribe/{code}": everybody(200, 200, 200, 200, 403, 200, 200),
    "DELETE /profile/unsubscribe-link": IN_PERSON,
    "GET /administration/mails": ADMINISTERED,
    "GET /administration/mails/{id}": ADMINISTERED,
    "GET /administration/unused-mails": ADMINISTERED,
    "DELETE /administration/mails/{id}": IN_PERSON,
    "POST /administration/mails/{id}/retry": IN_PERSON,
    "PUT /profile/preferences": IN_PERSON,
    # The notification is Ben's, and of a project that the token for another one does not open.
    "GET /notifications": everybody(401, 200, 200, 200, 200, 200, 200),
    "POST /notifications/read": everybody(401, 200, 200, 200, 403, 200, 200),
    "POST /notifications/read/{id}/undo": everybody(401, 200, 200, 200, 403, 200, 200),
    "GET /notifications/{id}": everybody(401, 404, 200, 404, 200, 200, 404),
    "PUT /notifications/{id}": everybody(401, 404, 200, 404, 403, 200, 404),
    "GET /tokens/{token}": everybody(401, 404, 200, 404, 200, 404, 404),
}

# A saved view of all projects is Ben's and shared, and a token for one project reaches none.
IN_NO_PROJECT |= {
    "GET /bins": everybody(401, 200, 200, 200, 200, 403, 403),
    "POST /bins": everybody(401, 403, 201, 201, 403, 403, 403),
    "GET /bins/new": everybody(401, 200, 200, 200, 403, 403, 403),
    "GET /bins/{id}": everybody(401, 404, 200, 200, 200, 403, 403),
    "PUT /bins/{id}": everybody(401, 404, 200, 200, 403, 403, 403),
    "POST /bins/{id}": everybody(401, 404, 200, 200, 403, 403, 403),
    "DELETE /bins/{id}": everybody(401, 404, 200, 200, 403, 403, 403),
}

IN_NO_PROJECT |= {
    name_of(route): everybody(401, 403, 403, 201 if route.location else 200, 403, 403, 403)
    for route in ROUTES
    if route.path.startswith("/hooks")
}

# What anybody signed in does in a public project: open tickets and comment on them and on messages,
# and see how that will look.
FOR_ANYBODY = {
    f"GET {PROJECT}/held-texts",
    f"GET {PROJECT}/tickets/new",
    f"GET {PROJECT}/mentions/suggest",
    f"GET {PROJECT}/notification_settings",
    f"PUT {PROJECT}/notification_settings",
    "GET /profile/lists/{project_id}",
    "PUT /profile/lists/{project_id}",
    f"GET {PROJECT}/tickets/{{number}}/mute",
    f"PUT {PROJECT}/tickets/{{number}}/mute",
    f"POST {PROJECT}/tickets",
    f"POST {PROJECT}/tickets/{{number}}/versions",
    f"POST {PROJECT}/messages/{{id}}/comments",
    f"POST {PROJECT}/preview",
}
OWN = {"PUT /profile/lists/{project_id}"}
REVIVES = {f"PUT {PROJECT}", f"PUT {PROJECT}/settings", f"DELETE {PROJECT}"}


def success(route):
    return 201 if route.location and not route.dry_run_field else 200


def in_project(route, kind, who):
    """Return the status of what is in a project or comes out of one."""
    public, archived = "public" in kind, "archived" in kind
    changes = route.method != "GET"
    # A form for something, who was removed or can be named, what somebody is told of, and hooks are for those
    # who may do it.
    needed = (
        "/new",
        "/settings",
        "/removals",
        "/mentions/suggest",
        "/notification_settings",
        "/mute",
        "/lists/{project_id}",
        "/held-texts",
        "/held-texts/{id}",
    )
    reads = not changes and not route.path.endswith(needed) and not re.search("/hooks|/forges", route.path)
    if who == OTHER_ACCOUNT or (who == ANONYMOUS and not (public and reads)):
        return 401
    if who == OTHER_PROJECT or (who == STRANGER and not public):
        return 404
    if reads:
        return 200
    if who == STRANGER and route.path.endswith("/held-texts/{id}"):
        # It is Ben's.
        return 404
    outsider = who == STRANGER and name_of(route) not in FOR_ANYBODY
    stopped = who == READ_ONLY or (archived and name_of(route) not in REVIVES | OWN)
    is_stopped = (changes and stopped) or (route.path.endswith("/new") and (archived or who == READ_ONLY))
    return 403 if outsider or is_stopped else success(route)


def is_in_project(route):
    if route.takes_push:
        return False
    return route.path.startswith((PROJECT, "/attachments/", "/profile/lists/{", "/bulk_edit"))


def expected(route, kind, who):
    if is_in_project(route):
        status = in_project(route, kind, who)
        # A query does not find what is hidden.
        return 422 if (status, route.path) == (404, "/bulk_edit") else status
    assert name_of(route) in IN_NO_PROJECT, (
        f'tests/web/test_matrix.py does not say who may do "{name_of(route)}": add it to IN_NO_PROJECT '
        "with the status that each of WHO gets"
    )
    return IN_NO_PROJECT[name_of(route)][who]


# --- What happens ----------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_every_caller_gets_exactly_what_they_may_see(pair, route):
    wrong = []
    for kind in kinds_for(route, pair.here.world.format):
        # Those who are refused come first, while everything is as it was.
        for who in sorted(WHO, key=lambda who: expected(route, kind, who) < 400):
            status = expected(route, kind, who)
            answer = attempt(pair.here.sites[kind], route, who, status)
            if answer.status != status or not is_whole(answer) or not is_told(answer, route, who):
                wrong.append(f"{kind}, {who}: {answer.status} instead of {status}; {answer.body[:200]}")
    assert not wrong, "\n".join(wrong)


def kinds_for(route, form):
    """Return the kinds of projects in which a route is used.

    The database and the format do not tell visible from archived: once, each of both is enough. What is in
    no project differs with none, but that some of it, as a notification, comes from one.
    """
    if is_in_project(route):
        return KINDS if form == "json" else ("public", "archived")
    return ("private", "archived public") if form == "json" else ("private",)


def attempt(site, route, who, status):
    if status < 400 and (route.method == "DELETE" or name_of(route) in ONCE):
        site = site.fresh(route)
        if name_of(route) in REVIVES and "archived" in site.kind:
            site.archive()
    answer = site.send(who, route)
    if name_of(route) in REVIVES and answer.status == 200 and "archived" in site.kind:
        site.archive()
    return answer


def is_told(answer, route, who):
    """Return whether a token that may only read is told so, before anything else."""
    return who != READ_ONLY or route.method == "GET" or answer.errors == ["This token is read-only"]


def is_whole(answer):
    """Return whether an answer is what its status promises."""
    if answer.status < 400:
        return answer.status != 201 or "location" in answer.headers
    asks = answer.headers.get("www-authenticate", "").startswith("Basic ") == (answer.status == 401)
    return asks and bool(answer.errors) and all(answer.errors)


def test_the_two_accounts_hold_the_same_ids(pair):
    for kind in KINDS:
        here, there = (dict(account.sites[kind].values) for account in (pair.here, pair.there))
        for values in (here, there):
            # People belong to the server, tokens are random, and notifications are known by a time.
            for name in (
                "users",
                "people",
                "placeholders",
                "service-users",
                "spam-removals",
                "avatars",
                "tokens",
                "notifications",
                "welcome",
                "feeds/code",
                *LINKS,
            ):
                values.pop(name)
        assert here == there


def test_requests_in_one_account_do_not_affect_the_other(pair):
    before = pair.there.everything()
    for route in (route for route in ROUTES if route.method in ("POST", "PUT")):
        # Who is refused does nothing.
        who = next((who for who in (MEMBER, ADMINISTRATOR) if expected(route, "public", who) < 400), None)
        if who:
            answer = attempt(pair.here.sites["public"], route, who, 200)
            assert answer.status < 400, (name_of(route), answer.body)
    assert pair.there.everything() == before
