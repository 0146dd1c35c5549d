"""Every route and page for each way of signing in: who is let in, and what all others are told.

Whoever comes is an administrator, so only the way decides; roles are the subject of test_matrix.py. Changes
come with a revision that nothing has, so whoever is let in changes nothing.
"""

from urllib.parse import urlencode

import pytest

from skerry.errors import FactorNeeded, Unauthenticated
from skerry.store import accounts
from skerry.store.auth import account_logins, factors, sessions, tokens
from skerry.store.people import people, single_sign_on
from skerry.tracker.access import Permission
from skerry.tracker.secrets import hash_token
from skerry.web.auth import browser, credentials
from skerry.web.auth.guesses import GuessLimiter
from skerry.web.routes.bulk_edits import BULK_EDIT_OF_ACCOUNT
from skerry.web.routes.pages import PAGES
from skerry.web.routes.table import ROUTES
from skerry.web.site.sign_in import SET_UP_FACTOR
from tests.conftest import PASSWORD, build_world
from tests.support.browser_client import WebClient
from tests.support.client import TYPES, basic
from tests.support.route_matrix import ANONYMOUS, Account, name_of
from tests.web.test_matrix import expected as by_matrix

pytestmark = pytest.mark.matrix("both")

LONG_AGO = "2000-01-01"
NEEDS_FACTOR, IN_PERSON = FactorNeeded.default, "Tokens cannot be used for this; sign in with a password"
ADMINISTERED = "Only administrators of the account may do this"
FOR_THE_ACCOUNT = {
    Permission.ADMINISTER: ADMINISTERED,
    Permission.CONNECT: ADMINISTERED,
    Permission.CREATE_PROJECT: "Only members of the account may create projects",
}
SET_UP = ("/profile/time-codes", "/profile/passkeys", "/profile/passkeys/new")
SCOPES = ("tickets:read", "tickets:write", "hooks:write")


# --- What is expected ------------------------------------------------------------------------------


def told(route, way):
    """Return the status and the sentence with which a way of signing in is refused; None if it is let in."""
    if way.sentence:
        # A link needs no way of signing in, and a second factor can be set up without one.
        is_open = route.permission is Permission.CAPABILITY_LINK or route.path in SET_UP
        return None if way.status == 403 and is_open else (way.status, way.sentence)
    if way.kind == "nobody":
        is_refused = by_matrix(route, "private", ANONYMOUS) == 401
        return (401, Unauthenticated.default) if is_refused else None
    return None if way.kind == "person" else told_to_a_token(route, way)


def told_to_a_token(route, way):
    permission, changes = route.permission, route.method != "GET"
    if way.kind in SCOPES and route.scopes is not None and way.kind not in route.scopes:
        return 403, f"This token is limited to {way.kind}, which excludes this"
    if way.kind == "read-only" and (changes or (route.path.endswith("/new") and route.path not in SET_UP)):
        return 403, "This token is read-only"
    if way.kind == "project" and permission in FOR_THE_ACCOUNT:
        return 403, FOR_THE_ACCOUNT[permission]
    is_in_person = permission is Permission.IN_PERSON or (permission is Permission.ADMINISTER and changes)
    return (403, IN_PERSON) if is_in_person else None


class Way:
    """A client, and what it is: nobody, a person, a kind of token, or refused everywhere with a sentence."""

    def __init__(self, kind, client, sentence="", status=401):
        self.kind, self.client, self.sentence, self.status = kind, client, sentence, status


# --- The ways --------------------------------------------------------------------------------------


class Door:
    """An account to which an administrator comes in every way, and to whom somebody else may belong."""

    def __init__(self, world, account):
        self.world, self.site = world, account.sites["private"]
        self.ada = account.founder
        self.other = build_world(world.instance, world.log, world.format)

    def session(self, who=None, world=None, **more):
        """Return a browser in which somebody signed in, perhaps in another account."""
        secret, who = browser.new_secret(), who or self.ada
        with (world or self.world).write() as transaction:
            sessions.add(transaction, who.user_id, hash_token(secret), agent="", address="", **more)
        return self.world.client(**{"Cookie": f"skerry={secret}", "X-CSRF-Token": browser.proof_of(secret)})

    def token(self, user_id=0, world=None, **limits):
        """Return a program with a token of somebody, perhaps of another account."""
        token = (world or self.world).token(user_id or self.ada.user_id, **limits)
        return self.world.client(**{"X-ServiceToken": token})

    def password(self, who=None):
        return self.world.client(**basic((who or self.ada).email, PASSWORD))

    def plain(self):
        """Yield the ways into an account that demands nothing."""
        gone = self.world.person("gone", "administrator")
        lost = [self.session(gone), self.token(gone.user_id)]
        revoked, replaced, elsewhere = self.token(), self.token(), self.other.people["ada"]
        with self.world.write() as transaction:
            account_logins.disable(transaction, gone.user_id)
            program = people.add_service_user(transaction, "Robot")
            people.join_account(transaction, program, "administrator")
            tokens.revoke(transaction, kept(transaction, revoked).id)
            tokens.limit(transaction, kept(transaction, replaced).id, transaction.now - 1)
        yield Way("nobody", self.world.client())
        yield Way("nobody", lost[0])
        yield Way("nobody", self.session(elsewhere, self.other))
        yield Way("nobody", self.world.client(Cookie=f"skerry={browser.new_secret()}"))
        yield Way("person", self.session())
        yield Way("person", self.session(provider="corp"))
        yield Way("person", self.password())
        yield Way("token", self.token())
        yield Way("token", self.token(program))
        yield Way("read-only", self.token(read_only=True))
        yield Way("project", self.token(project_id=self.site.values["projects"]))
        for scope in SCOPES:
            yield Way(scope, self.token(scopes=scope))
        for client in (lost[1], revoked, replaced, self.token(elsewhere.user_id, self.other)):
            yield Way("", client, credentials.WRONG_TOKEN)
        yield Way("", self.password(gone), credentials.WRONG_LOGIN)

    def demanding_a_factor(self):
        """Yield the ways into an account that demands a second factor, before and after there is one."""
        with self.world.write() as transaction:
            accounts.demand_factors(transaction, LONG_AGO)
        yield Way("", self.session(), NEEDS_FACTOR, 403)
        yield Way("", self.password(), credentials.FACTOR_DEMANDED)
        yield Way("person", self.session(provider="corp"))
        yield Way("token", self.token())
        with self.world.write() as transaction:
            factors.need(transaction, self.ada.user_id, needed=True)
        yield Way("person", self.session())
        yield Way("", self.password(), credentials.FACTOR_MISSING)
        with self.world.write() as transaction:
            factors.need(transaction, self.ada.user_id, needed=False)
            accounts.demand_factors(transaction, None)

    def demanding_a_provider(self):
        """Yield the ways into an account that demands single sign-on."""
        before = self.session()
        with self.world.write() as transaction:
            single_sign_on.demand(transaction, demanded=True)
        yield Way("nobody", before)
        yield Way("", self.password(), credentials.NEEDS_PROVIDER)
        yield Way("person", self.session(provider="corp"))
        yield Way("token", self.token())
        with self.world.write() as transaction:
            single_sign_on.demand(transaction, demanded=False)

    def ways(self):
        yield from self.plain()
        yield from self.demanding_a_factor()
        yield from self.demanding_a_provider()


def kept(transaction, client):
    return tokens.with_hash(transaction, hash_token(client.headers["X-ServiceToken"]))[0]


@pytest.fixture
def door(world, monkeypatch):
    # Wrong passwords are sent more often than anybody may.
    monkeypatch.setattr(GuessLimiter, "ALLOWED", (10**6,) * 3)
    return Door(world, Account(world, "opal", ("private", "public")))


# --- What happens ----------------------------------------------------------------------------------


SENTENCES = (NEEDS_FACTOR, IN_PERSON, "This token is ", *FOR_THE_ACCOUNT.values())


def sample(world, lines):
    """Return all in JSON on SQLite; the database does not tell the ways apart, so of the other run some."""
    return lines if world.format == "json" else lines[::5]


def test_each_way_of_signing_in_opens_what_it_should(door, world):
    wrong = [
        (name_of(route), way.kind, way.sentence, answer, should)
        for way in door.ways()
        for route in sample(world, ROUTES)
        for answer, should in [(answered(door.site, route, way.client), told(route, way))]
        if answer != should
    ]
    assert not wrong, "\n".join(map(str, wrong))


def answered(site, route, client):
    changing = {} if route.method == "GET" else {"If-Match": '"none"'}
    answer = client.send(route.method, site.path(route), Accept=TYPES[client.format], **changing)
    assert route.method == "GET" or answer.status >= 400, name_of(route)
    if answer.status == 401 or (answer.status == 403 and answer.errors[0].startswith(SENTENCES)):
        return answer.status, answer.errors[0]
    return None


def told_in_a_browser(page, path, way):
    """Return where a page leads whoever may not read it; an empty text if it is shown."""
    if page.permission is Permission.CAPABILITY_LINK:
        return ""
    if way.sentence:
        return "" if page.path in SET_UP else f"{SET_UP_FACTOR}?{urlencode({'next': path})}"
    # That bulk edit is of a private project.
    is_public = page.permission is Permission.PUBLIC and page.path != BULK_EDIT_OF_ACCOUNT
    return "" if way.kind == "person" or is_public else f"/sign-in?{urlencode({'next': path})}"


def test_pages_lead_each_way_of_signing_in_to_what_is_missing(door, world):
    wrong = [
        (page.path, way.kind, way.sentence, led, should)
        for way in door.ways()
        if "Cookie" in way.client.headers or way.client.headers == {}
        for page in sample(world, PAGES)
        for path in [door.site.path(page.route)]
        for led, should in [(led_to(way.client, path), told_in_a_browser(page, path, way))]
        if led != should
    ]
    assert not wrong, "\n".join(map(str, wrong))


def led_to(client, path):
    cookies = dict([client.headers["Cookie"].split("=")]) if client.headers else {}
    page = WebClient(client.application, client.host, cookies).send("GET", path, follow=False)
    assert page.status != 401, path
    return page.headers["location"] if page.status == 303 else ""
