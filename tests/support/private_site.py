"""A public project with a private ticket that has one of everything, and those who are not to see it.

The word "hushword" stands in all that belongs to the ticket, and nowhere else.
"""

import re
from dataclasses import dataclass, replace

from skerry.tracker.access import Permission
from skerry.web.responses.feeds import LIST_FORMATS
from skerry.web.route import ResponseKind
from skerry.web.routes.pages import PAGES
from skerry.web.routes.table import ROUTES
from tests.support.client import Client, call
from tests.support.readers import read_events
from tests.support.resources import THINGS
from tests.support.route_matrix import ANONYMOUS, HTML, OTHER_PROJECT, STRANGER, Account, Site

WORD = "hushword"
COLLEAGUE, AUTHOR = "member of the account", "author of another ticket"
OUTSIDERS = (ANONYMOUS, STRANGER, OTHER_PROJECT, COLLEAGUE, AUTHOR)

OF_THE_TICKET = (
    "tickets",
    "versions",
    "links",
    "/projects/{project_id}/tickets/{number}/versions/{version}/texts/{text}",
    "attachments",
    "notifications",
)

QUERIES = (
    *("", WORD, f"{WORD}*", f"tagged:{WORD}", f"-{WORD}", f"title:{WORD} OR state:open", "tagged:hush*"),
    *("state:open", "-tagged:'?'", "milestone:none", "has:attachment", "has:comments", "is:blocked"),
    *("responsible:none", "watched:me", "reported_by:me", "commented_by:me", "sort:created", "sort:title"),
    *("number:<99 sort:number", "due:2031-01-01", "created:>2000-01-01", f"opal {WORD}", "is:claimed"),
    *("is:private", "-is:private", "is:(private,ready) sort:title"),
)


@dataclass
class PrivateSite:
    """The public site, what it holds of the private ticket, and the outsiders.

    ``guest`` takes part in private tickets only, and ``last`` is the last number before them.
    """

    site: Site
    clients: dict[str, Client]
    guest: Client
    last: int
    hidden: Site | None = None

    @property
    def project(self):
        return f"/projects/{self.site.values['projects']}"

    @property
    def coming(self):
        """Return the numbers of the private tickets."""
        return range(self.last + 1, self.last + 7)

    def name_what_comes(self):
        """Name the private tickets where everybody reads it, before there are any."""
        founder = self.site.account.founder
        text = " ".join(f"#{number} @ivy" for number in self.coming)
        changes = {"revision": "c0ffee1", "title": text, "body": text, "changes": "[]"}
        for address, root, fields in (
            ("messages", "message", {"title": "Named", "body": text}),
            ("milestones", "milestone", {"title": "Named", "goals": text}),
            ("changesets", "changeset", changes),
            (f"tickets/{self.last}/versions", "version", {"body": text}),
        ):
            made = founder.post(f"{self.project}/{address}", {root: fields})
            assert made.status == 201, made.body

    def hide(self):
        """Make the private ticket with one of everything in it."""
        founder, ben = self.site.account.founder, self.site.account.world.people["ben"]
        hidden = replace(self.site, text=WORD, values=dict(self.site.values))
        before = {each["number"] for each in founder.get(f"{self.project}/tickets?limit=100").items}
        for name in OF_THE_TICKET:
            hidden.values[name] = THINGS[name](hidden)
            for each in founder.get(f"{self.project}/tickets?limit=100").items:
                if each["number"] not in before and not each["private"]:
                    path = f"{self.project}/tickets/{each['number']}"
                    assert founder.put(path, {"ticket": {"private": True}}).status == 200
        path = f"{self.project}/tickets/{hidden.values['tickets']}"
        fields = {
            "milestone_id": hidden.values["milestones"],
            "assigned_user_id": ben.user_id,
            "due_on": "2031-01-01",
            "importance": 3,
            "body": f"{WORD} @hal is told, see #{self.site.values['tickets']}",
        }
        assert founder.put(path, {"ticket": fields}).status == 200
        assert ben.post(f"{path}/claim", {"claim": {"worker": WORD}}).status < 300
        edit = {
            "bulk_edit": {"query": f"number:{hidden.values['tickets']}", "command": f'tagged:"{WORD} dry"'}
        }
        hidden.values["bulk_edits"] = founder.post(f"{self.project}/bulk_edit", edit).item["id"]
        made = self.guest.post(f"{self.project}/tickets", {"ticket": {"title": WORD, "private": True}})
        assert made.status == 201
        self._delete_another()
        read_events(self.site.account.world)
        self.hidden = hidden
        return hidden

    def _delete_another(self):
        """Make another private ticket, and delete it."""
        founder, tickets = self.site.account.founder, f"{self.project}/tickets"
        fields = {"title": WORD, "private": True, "milestone_id": self.site.values["milestones"]}
        number = founder.post(tickets, {"ticket": fields}).item["number"]
        assert founder.delete(f"{tickets}/{number}").status < 300


def build(world):
    """Make the public project, in which an outsider has opened a ticket of his own."""
    account = Account(world, "opal", kinds=("public",))
    site = account.sites["public"]
    clients = {who: account.clients[who] for who in (ANONYMOUS, STRANGER, OTHER_PROJECT)}
    clients[COLLEAGUE] = world.person("gil", "member")
    clients[AUTHOR] = world.person("hal")
    made = clients[AUTHOR].post(f"/projects/{site.values['projects']}/tickets", {"ticket": {"title": "Own"}})
    assert made.status == 201
    place = PrivateSite(site, clients, world.person("ivy"), made.item["number"])
    place.name_what_comes()
    read_events(world)
    return place


def reads(site, numbers=()):
    """Yield each address that can be read, of every resource and page, with searches and other formats."""
    routes = [route for route in ROUTES if is_read(route)]
    for route in routes:
        path = site.path(route)
        yield path, ""
        if route.response_kind is ResponseKind.PAGE:
            yield f"{path}?limit=1", ""
            yield from ((f"{path}.{each}!", "") for each in LIST_FORMATS)
    for page in PAGES:
        if is_read(page.route):
            yield f"{site.path(page.route)}!", HTML
    project = site.path(next(route for route in routes if route.path == "/projects/{project_id}"))
    by_number = (f"{key}{number}" for number in numbers for key in ("%23", "parent:%23", "blocked-by:%23"))
    for query in (*QUERIES, *by_number):
        for place in ("", project):
            yield f"{place}/tickets?q={query}&limit=2", ""
    for typed in ("", "hush", "tagged:hush", "title:hush", "#", "1", "responsible:", "responsible:iv", "iv"):
        yield f"{project}/query/suggest?q={typed}&caret={len(typed)}", ""
        yield f"{project}/tickets/suggest?q={typed}", ""
        yield f"{project}/mentions/suggest?q={typed}", ""


def is_read(route):
    """Return whether others may read there; what is behind a code of Ben's is his."""
    return route.method == "GET" and route.permission is not Permission.CAPABILITY_LINK


def looked(place, who):
    """Return what an outsider sees at each address, without what differs each time."""
    return {
        (path, accept): same(get(place.clients[who], path, accept))
        for path, accept in reads(place.site, place.coming)
    }


def get(client, path, accept):
    """Return the answer to somebody who may also ask for a page."""
    asked = {"Accept": accept} if accept else {}
    sent = {"Host": client.host, "X-Request-Id": "same", **client.headers, **asked}
    return call(client.application, "GET", client.address(path), headers=sent, address=client.host)


_CHANGING = re.compile(
    r"after=[\w-]+|x-last-event-id: \S+|data-position=\"\S*\"|[\w-]{32,}|content-length: \d+|etag: \S+"
    r"|(?<=>)[^<>]*(?=</time>)|data-events=\"[^\"]*\""
)


def same(answer):
    """Return an answer without cursors, of which no two are alike, and secrets of forms."""
    is_page = answer.headers.get("content-type", "").startswith("text/html")
    state = "" if is_page else answer.headers.get("etag", "")[:20]
    lines = [
        state,
        answer.body.decode(errors="replace"),
        *(f"{name}: {each}" for name, each in answer.headers.items()),
    ]
    return answer.status, _CHANGING.sub("…", "\n".join(lines))
