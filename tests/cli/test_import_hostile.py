"""Hostile archives: every page and response is well-formed, and no scripts run."""

import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

from tests.cli.hostile import hostile
from tests.conftest import PASSWORD
from tests.support.browser_client import ACCEPT, WebClient
from tests.support.client import call

RUNS = re.compile(r"\W*(javascript|data|vbscript):", re.IGNORECASE)
PLACES = (
    "tickets",
    "milestones",
    "messages",
    "changesets",
    "bins",
    "templates",
    "memberships",
    "activity",
    "states",
    "tags",
)


class Reading(HTMLParser):
    """Gathers what would run in a page, and the addresses of this server to which it leads."""

    def __init__(self, path, source):
        super().__init__()
        self.path, self.runs, self.paths = path, [], set()
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        self.runs += [name for name in given if name.startswith("on")]
        self.runs += [value for value in given.values() if RUNS.match(value) or value.startswith("//")]
        if tag in ("base", "embed", "iframe", "object") or (tag == "script" and "src" not in given):
            self.runs.append(tag)
        for name in ("href", "src"):
            leads = urlsplit(urljoin(self.path, given.get(name, "")))
            if not leads.netloc and not leads.path.startswith("/static/"):
                self.paths.add(leads.path)


def crawled(source):
    """Every answer to a browser of somebody who follows all links, by its address."""
    web, found = WebClient(source.instance.application, source.host), {}
    web.sign_in(source.people["ada"].email, PASSWORD)
    cookies = "; ".join(f"{name}={value}" for name, value in web.cookies.items())
    headers = {"Host": source.host, "Accept": ACCEPT, "Cookie": cookies}
    left = {"/", "/projects/31/tickets?q=evil"}
    while left:
        path = left.pop()
        found[path] = call(web.application, "GET", path, headers=headers, address=source.host)
        if found[path].headers["content-type"].startswith("text/html"):
            left |= Reading(path, found[path].body.decode()).paths - found.keys()
    return found


def test_no_page_of_a_hostile_archive_runs_scripts(take, source):
    take(hostile())
    pages = crawled(source)
    assert {
        "/projects/31/tickets/12",
        "/projects/31/changesets/4f1c2d9",
        "/projects/31/messages/8",
    } < pages.keys()
    for path, page in pages.items():
        # Who belongs to nothing here has no page, and what ends as a format is asked for in that.
        assert page.status == 200 or re.search(r"/users/\d+$|evil\.json", path), path
        assert "set-cookie" not in page.headers, path
        assert all(map(str.isprintable, page.headers.values())), path
        if page.headers["content-type"].startswith("text/html"):
            assert Reading(path, page.body.decode()).runs == [], path
        elif path.startswith("/attachments/"):
            assert page.headers["content-type"] == "application/octet-stream"


def test_programs_can_read_what_came_from_a_hostile_archive(take, source):
    take(hostile())
    ada = source.people["ada"]
    found = [f"/projects/31/{place}" for place in PLACES]
    found += [
        f"/projects/31/{place}/{number}" for place in ("milestones", "messages") for number in (5, 6, 7, 8)
    ]
    found += [
        "/projects/31",
        "/projects/31/settings",
        "/projects/31/tickets/12",
        "/projects/31/changesets/4f1c2d9",
    ]
    for path in (*found, "/people", "/users/7", "/projects/31/tickets/12/versions"):
        for kind in (".json", ".xml"):
            answer = ada.get(f"{path}{kind}")
            assert answer.status == 200, (path, answer.body)
            assert answer.data
    feed = ada.get("/projects/31/activity.atom").body
    assert ET.fromstring(feed).findall("{*}entry")  # noqa: S314 - our own answer
