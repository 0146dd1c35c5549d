"""Walks over every address of the routing table: what stands in its paths, what is sent there, and who comes.

A pair is two accounts at two hosts which hold the same things under the same ids. Each account has
one project of every kind with one of everything in it, and the same people. A new resource
is covered by itself; ``THINGS`` in resources.py and ``BODIES`` here hold what is special.
"""

import io
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any
from urllib.parse import quote

from skerry.tracker.access import Permission
from skerry.tracker.mail.reply_addresses import project_address
from skerry.web.routes.pages import PAGES
from skerry.web.routes.table import ROUTES
from tests.conftest import PASSWORD, build_world
from tests.support.client import TYPES, Mail, Pushed, Upload, basic
from tests.support.resources import (
    ASKED,
    CHALLENGE,
    FILENAME,
    FORGE_SECRET,
    PICTURE,
    PLACE,
    THINGS,
    VERIFIER,
    sample,
    somebody,
    thing_at,
)

KINDS = ("private", "public", "archived", "archived public")
ANONYMOUS, STRANGER, MEMBER, ADMINISTRATOR = "anonymous", "stranger", "member", "administrator"
READ_ONLY, ONE_PROJECT = "read-only token", "one-project token"
OTHER_PROJECT, OTHER_ACCOUNT = "other project's token", "other account's token"
WHO = (ANONYMOUS, STRANGER, MEMBER, ADMINISTRATOR, READ_ONLY, ONE_PROJECT, OTHER_PROJECT, OTHER_ACCOUNT)

WRITING = [route for route in ROUTES if route.method != "GET"]

# In an order in which nothing is removed that a later one needs.
REMOVALS_LAST = sorted(WRITING, key=lambda route: (route.method == "DELETE", -route.path.count("/")))


def without_aliases(routes):
    """Return the first route of each use case."""
    first = {}
    for route in routes:
        first.setdefault(route.use_case, route)
    return list(first.values())


SEARCHES = (
    "-commented_by:nobody",
    "-commented_by:nobody OR watched:nobody",
    "(state:nosuch commented_by:me) OR (tagged:nosuch has:comments)",
    "commented_by:nobody",
    "watched:nobody OR tagged:'?'",
    "-tagged:'?' responsible:nobody OR milestone:nowhere sort:milestone",
    "reported_by:nobody OR state:nosuch",
    "state:nosuch commented_by:me sort:milestone",
    "has:comments updated:<1999-01-01",
    "opal",
    "'opal' sort:importance",
    "state:open responsible:me tagged:dry",
    "number:1 OR opal*",
    "-tagged:dry OR watched:me OR has:comments sort:milestone",
    "commented_by:me OR milestone:none sort:title sort:relevance",
)

HTML = "text/html"

_numbers = count(1)


class NEW:
    """Stands in a body for a text that was never sent before."""


class HERE:
    """Stands for a query that finds the ticket of the site."""


class SOMEBODY:
    """Stands in a body for somebody of the account who is no member of the project."""


class MAIL:
    """Stands for a mail to the project, which does nothing, as a program has sent it."""


_USER = {"user": {"job": NEW}}
_BIN = {"ticket_bin": {"name": NEW, "query": "state:open", "shared": True}}
_HOOK = {"hook": {"url": "https://receiver.example/hook", "note": "Changed"}}
_SINCE = {"redelivery": {"since": "2026-01-01T00:00:00Z"}}
_LINK = {"link": {"kind": "relates-to", "ticket": 2}}
_BULK_EDIT = {"bulk_edit": {"query": "number:1", "command": "tagged:wet"}}

# What is sent where required fields and long texts are not enough, or nothing would change. The ticket's
# update is more than a comment, the project's revives it, and all of them may be repeated.
BODIES: dict[str, Any] = {
    "POST /projects": {"project": {"name": "Made"}},
    "PUT /projects/{project_id}": {"project": {"name": "Renamed", "archived": False}},
    "PUT /projects/{project_id}/settings": {"settings": {"description": "Changed", "archived": False}},
    "POST /projects/{project_id}/held-texts/decision": {"text_decision": {"ids": [987654]}},
    "POST /projects/{project_id}/tickets": {"ticket": {"title": "Made", "body": "Changed", "tag": "wet"}},
    "PUT /projects/{project_id}/tickets/{number}": {
        "ticket": {"state": "open", "body": "Changed", "tag": NEW}
    },
    "POST /projects/{project_id}/tickets/{number}/links": _LINK,
    "POST /projects/{project_id}/templates": {"template": {"name": NEW, "body": "Changed"}},
    "PUT /projects/{project_id}/templates/{id}": {"template": {"name": NEW, "body": "Changed"}},
    **{
        f"{method} {place}{path}": _BIN
        for place in ("/projects/{project_id}/bins", "/bins")
        for method, path in (("POST", ""), ("PUT", "/{id}"), ("POST", "/{id}"))
    },
    "PUT /profile/lists/{project_id}": {"list_settings": {"group": "state"}},
    "PUT /profile/lists/all": {"list_settings": {"group": "state"}},
    "POST /bulk_edit": {"account_bulk_edit": {"query": HERE, "command": "tagged:wet"}},
    "POST /projects/{project_id}/bulk_edit": _BULK_EDIT,
    "POST /projects/{project_id}/memberships": {"membership": {"user_id": SOMEBODY}},
    "POST /users/{id}": _USER,
    "PUT /users/{id}": _USER,
    "POST /profile": _USER,
    "PUT /profile": _USER,
    "POST /mail": MAIL,
    "PUT /profile/avatar": Upload("avatar", PICTURE),
    "POST /password-reset": {"password_reset": {"email": "dora@example.org"}},
    "POST /password-reset/{code}": {"new_password": {"password": PASSWORD}},
    "POST /sign-up": {"sign_up": {"email": "dora@example.org", "name": "Dora"}},
    "POST /sign-up/{code}": {"new_person": {"name": "Dora", "password": PASSWORD}},
    "POST /applicants/decision": {"decision": {"ids": [987654], "approve": False}},
    "PUT /profile/preferences": {"preferences": {"language": "de"}},
    "PUT /account": {"account": {"name": "Renamed"}},
    "PUT /people/placeholders/{id}": {"placeholder": {"user_id": SOMEBODY}},
    "POST /imports": Upload("file", b"title\nLeak\n", "roof.csv"),
    "PUT /imports/{id}": {"import": {"name": NEW}},
    "POST /people/service-users/{user_id}/tokens": {"token": {"note": "Made"}},
    "POST /people/service-users/{user_id}/tokens/{id}/replace": {"overlap_hours": 1},
    "PUT /people/service-users/{user_id}": {"service_user": {"name": NEW}},
    "PUT /people/{id}": {"person": {"role": "administrator"}},
    "POST /invitations": {"invitation": {"email": "dora@example.org", "role": "member"}},
    "POST /invitations/batch": {"invitation_batch": {"emails": ["dora@example.org"], "role": "member"}},
    "POST /welcome/{code}": {"welcome": {"name": "Dora", "password": PASSWORD}},
    "POST /set-up/{code}": {
        "set_up": {"account": "A", "name": "Dora", "email": "dora@example.org", "password": PASSWORD}
    },
    **{
        f"{method} {place}{path}": body
        for place in ("/projects/{project_id}/hooks", "/hooks")
        for method, path, body in (
            ("POST", "", _HOOK),
            ("PUT", "/{hook_id}", _HOOK),
            ("POST", "/{hook_id}/redeliver", _SINCE),
        )
    },
    "PUT /sending": {"sending": {"paused": True}},
    "POST /projects/{project_id}/forges": {"forge": {"kind": "github"}},
    "POST /projects/{project_id}/pushes/{kind}": Pushed(b'{"object_kind": "ping"}', FORGE_SECRET),
    "POST /profile/token-requests": {
        "token_request": {"note": "sk", "port": 4711, "state": "s" * 16, "challenge": CHALLENGE}
    },
    "POST /profile/token-requests/{code}": {"token_proof": {"verifier": VERIFIER}},
    "POST /profile/tokens": {"token": {"note": "Made"}},
    "POST /profile/tokens/{id}/replace": {"overlap_hours": 1},
    "PUT /notifications/{id}": {"notification": {"read": True}},
    "PUT /projects/{project_id}/notification_settings": {"notification_settings": {"level": "everything"}},
    "PUT /projects/{project_id}/tickets/{number}/mute": {"mute": {"muted": True}},
    "POST /projects/{project_id}/tickets/{number}/claim": {"claim": {"worker": "night shift"}},
    "POST /profile/feeds": {"feed": {"kind": "activity", "note": "Made"}},
    "POST /profile/passkeys": {"passkey": {"name": "Telephone", "answer": "{}"}},
    "PUT /profile/passkeys/{id}": {"passkey": {"name": NEW}},
    "PUT /profile/password": {"password": {"present": PASSWORD, "new": PASSWORD}},
}

# What can be done to each thing only once, as removing it, and what needs one that was not removed.
ONCE = {
    "POST /profile/token-requests/{code}",
    "POST /projects/{project_id}/forges/{id}/secret",
    "POST /bulk_edits/{id}/undo",
    "POST /projects/{project_id}/bulk_edits/{id}/undo",
    "POST /projects/{project_id}/tickets/{number}/claim",
    "POST /projects/{project_id}/memberships/{id}/restore",
    "PUT /imports/{id}",
    "POST /imports/{id}/start",
    "POST /welcome/{code}",
    "POST /verification/{code}",
    "POST /password-reset/{code}",
}


def name_of(route):
    """Return the method and address of a line, as they stand in the tables here."""
    return f"{route.method} {route.path}"


def body_for(route, site=None):
    """Return a body that fits a line, or None, and names people of a site's account.

    Fails if nobody said what is sent there.
    """
    if route.method in ("GET", "DELETE"):
        return None
    if name_of(route) in BODIES:
        return _filled(BODIES[name_of(route)], site)
    body = sample(route.draft, f"new{next(_numbers)}") if route.draft else None
    assert body is None or all(body.values()), (
        f'route_matrix.py does not say what is sent with "{name_of(route)}": add a body to BODIES '
        "that changes something there and may be sent again and again"
    )
    return body


def _filled(body, site):
    if isinstance(body, dict):
        return {name: _filled(value, site) for name, value in body.items()}
    if body is MAIL:
        return _mail(site)
    if body is HERE:
        return f"project:{site.values['projects']} number:{site.values['tickets']}" if site else "all"
    if body is SOMEBODY:
        return somebody(site) if site else 1
    return f"new{next(_numbers)}" if body is NEW else body


def _mail(site):
    if site is None:
        return Mail(b"From: ada@example.org\n\n")
    world = site.account.world
    with world.database.read(world.account_id) as transaction:
        address = project_address(transaction, site.values["projects"], "tracker.example")
    return Mail(f"From: ada@example.org\nTo: {address}\nAuto-Submitted: auto-replied\n\n".encode())


@dataclass
class Site:
    """A project of some kind with one of everything in it, and the people who come to it."""

    account: "Account"
    kind: str
    text: str
    values: dict = field(default_factory=dict)
    clients: dict = field(default_factory=dict)

    def path(self, route, **other):
        """Return a line's address with what stands at it, or with other values by collection."""
        values = {**self.values, **other}

        def endpoint(match):
            thing = thing_at(match)
            assert thing in THINGS, (
                f'resources.py does not say what stands at {{{match[2]}}} of "{name_of(route)}": add '
                f'"{thing}" to THINGS with a function that makes one of them and gives its id'
            )
            return f"/{match[1]}/{values[thing]}"

        return PLACE.sub(endpoint, route.path).replace("{filename}", FILENAME)

    def fresh(self, route):
        """Return the site with something new at the end of a line's address, which may be removed."""
        endpoints = list(PLACE.finditer(route.path))
        if not endpoints:
            return self
        last = thing_at(endpoints[-1])
        made = THINGS[last](self)
        clients = {**self.clients, **({ONE_PROJECT: self.key(made)} if last == "projects" else {})}
        return replace(self, values={**self.values, last: made}, clients=clients)

    def send(self, who, route):
        """Let somebody do what a line does."""
        client = self.clients[who]
        # Files have no extension that says in which format an error is wanted.
        return client.send(route.method, self.path(route), body_for(route, self), Accept=TYPES[client.format])

    def archive(self):
        """Archive the project."""
        self.account.founder.put(f"/projects/{self.values['projects']}", {"project": {"archived": True}})

    def key(self, project_id):
        """Return the client of a member who has a token for one project."""
        world = self.account.world
        token = world.token(world.people["ben"].user_id, project_id=project_id)
        return world.client(**{"X-ServiceToken": token})


class Account:
    """One account with its people and one site of every kind.

    ``text`` stands in everything that is made in it, with the kind of the site behind it.
    """

    def __init__(self, world, text, kinds=KINDS):
        """Make the people of a new account, and sites of some kinds."""
        self.world, self.revisions = world, 1
        world.person("dee")
        self.founder = world.people["ada"]
        administrator = world.person("eve", "administrator")
        harbour = self.founder.post("/projects", {"project": {"name": "Elsewhere"}}).item["id"]
        world.join(harbour, world.people["ben"])
        ben = world.people["ben"].user_id
        self.clients = {
            ANONYMOUS: world.people["nobody"],
            STRANGER: world.people["cy"],
            MEMBER: world.people["ben"],
            ADMINISTRATOR: administrator,
            READ_ONLY: world.client(**{"X-ServiceToken": world.token(ben, read_only=True)}),
            OTHER_PROJECT: world.client(**{"X-ServiceToken": world.token(ben, project_id=harbour)}),
        }
        self.sites = {kind: self._site(kind, f"{text}{kind.replace(' ', '')}") for kind in kinds}
        if {"public", "private"} <= self.sites.keys():
            self._link("public", "private")

    def _link(self, kind, other):
        """Let the ticket of a site block that of another one, which not everybody sees."""
        here, there = self.sites[kind].values, self.sites[other].values
        link = {"kind": "blocks", "ticket": f"{there['projects']}-{other}#{there['tickets']}"}
        path = f"/projects/{here['projects']}/tickets/{here['tickets']}/links"
        assert self.world.people["ben"].post(path, {"link": link}).status == 201

    def _site(self, kind, text):
        site = Site(self, kind, text, clients=dict(self.clients))
        for name, make in THINGS.items():
            if name in ASKED:
                site.values[name] = make(site)
        site.clients[ONE_PROJECT] = site.key(site.values["projects"])
        if "archived" in kind:
            site.archive()
        return site

    def everything(self):
        """Return all that its administrator sees in lists, to see whether anything has changed."""
        addresses = ["/projects", "/tickets?limit=100", "/milestones?limit=100"]
        for site in self.sites.values():
            project = f"/projects/{site.values['projects']}"
            addresses += [f"{project}/{name}" for name in ("messages", "changesets", "memberships", "bins")]
            addresses.append(f"{project}/tickets/{site.values['tickets']}")
        return [self.founder.get(address).body for address in addresses]


class TwoAccounts:
    """Two accounts that hold the same things under the same ids, on one server."""

    def __init__(self, instance, log, form):
        """Make both, and let each one's member knock at the other's door."""
        self.here = Account(build_world(instance, log, form), "opal")
        self.there = Account(build_world(instance, log, form), "quartz")
        for account, other in ((self.here, self.there), (self.there, self.here)):
            token = other.world.people["ben"].headers["X-ServiceToken"]
            account.clients[OTHER_ACCOUNT] = account.world.client(**{"X-ServiceToken": token})
            for site in account.sites.values():
                site.clients[OTHER_ACCOUNT] = account.clients[OTHER_ACCOUNT]


def signed_in(account, email, password=PASSWORD):
    """Return the client of somebody, of any account, who signs in to an account with a password."""
    return account.world.client(**basic(email, password))


def do_everything(instance):
    """Let a member and an administrator use every route, search, and sign in; return the two accounts.

    Nobody known comes, too, to what is public, and to its pages.
    """
    pair = TwoAccounts(instance, io.StringIO(), "json")
    site = pair.here.sites["private"]
    member = signed_in(pair.here, pair.here.world.people["ben"].email)
    assert member.get("/projects").status == 200
    for route in ROUTES:
        once = "{" in route.path and (route.method == "DELETE" or name_of(route) in ONCE)
        for who in (MEMBER, ADMINISTRATOR):
            answer = (site.fresh(route) if once else site).send(who, route)
            assert answer.status < 500, (name_of(route), answer.body)
    public = pair.here.sites["public"]
    for route in [route for route in ROUTES if route.method == "GET"]:
        assert public.send(ANONYMOUS, route).status < 500, name_of(route)
    for page in [page for page in PAGES if page.permission in (Permission.VIEW, Permission.PUBLIC)]:
        assert public.clients[ANONYMOUS].get(f"{public.path(page.route)}!", Accept=HTML).status == 200, page
    for query in SEARCHES:
        for client, endpoint in ((site.clients[MEMBER], site), (public.clients[ANONYMOUS], public)):
            for path in (f"/projects/{endpoint.values['projects']}/tickets", "/tickets"):
                answer = client.get(f"{path}?q={quote(query)}")
                assert answer.status == 200, (query, answer.body)
    assert member.get("/tickets?q=project:nowhere%20-commented_by:me").status == 200
    return pair
