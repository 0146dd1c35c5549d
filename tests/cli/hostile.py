"""An archive in which every text is one of somebody who means harm."""

from tests.cli import hosted
from tests.cli.hosted import LEAK, roof, ticket

EVIL = (
    "evil()\r\nSet-Cookie: evil=1\r\n\u2028\u202e\x00\x1b]0;\x07"
    "'\"><script>evil()</script>{{7*7}}</title></textarea>"
)
TEXT = (
    "[x](javascript:evil()) ![x](data:text/html,evil) #12 [../evil]\n"
    "<a href=javascript:evil() onclick=evil()>x</a>\n"
    f'```"onload=evil()\n{EVIL}\n```\n\n' + "> " * 200 + EVIL
)
PICTURE = b"<svg xmlns='http://www.w3.org/2000/svg' onload='evil()'><script>evil()</script></svg>"

_PROJECT = "projects/31-roof"
_DAYS = ("0001-01-01", "9999-12-31", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
_QUERIES = ('state:"<script>evil()</script>"', '"evil" <script>', "sort:evil", EVIL)
_REVISIONS = (
    "../evil",
    "..",
    ".",
    "4f1c2d9",
    'evil"><script>',
    "evil.json",
    "%2e%2e",
    "x" * 300,
    "\u202eevil",
)
_CHANGES = ([["M", EVIL], ["<script>", "../../evil"], ["A", ""]], EVIL, {"a": EVIL})
_FILES = (EVIL, "../../evil.html", "evil.svg", "evil.html")


def hostile():
    """The files of the archive."""
    return roof(**{f"{_PROJECT}/milestones/5-dry.json": None}, **_around(), **_tickets(), **_people())


def _around():
    said = {"title": EVIL, "name": EVIL, "body": TEXT, "goals": TEXT, "user_id": 7, "user_name": EVIL}
    said |= {"permalink": EVIL, "description": TEXT, "license": EVIL, "body_html": TEXT, "goals_html": TEXT}
    found = {f"{_PROJECT}/project.json": {"project": {**hosted.PROJECT, **said, "default_milestone_id": 5}}}
    for number, (day, query) in enumerate(zip(_DAYS, _QUERIES, strict=True), 5):
        each = {**said, "id": number, "query": query, "due_on": day, "completed_at": (None, day)[number > 6]}
        for kind in ("milestone", "ticket_bin", "message"):
            place = kind.removeprefix("ticket_")
            found[f"{_PROJECT}/{place}s/{number}-x.json"] = {kind: each}
        found[f"{_PROJECT}/messages/{number}-x.json"] = {
            "message": {**each, "comments": [{"comment": {**each, "id": number + 100, "user_id": 8}}]}
        }
    found[f"{_PROJECT}/templates.json"] = {"templates": [{"template": {**said, "id": -1}}, None]}
    for number, revision in enumerate(_REVISIONS):
        each = {**said, "revision": revision, "changes": _CHANGES[number % 3], "changed_at": hosted.TIMESTAMP}
        found[f"{_PROJECT}/changesets/{number}.json"] = {"changeset": each}
    return found


def _tickets():
    shown = {"title": EVIL, "state": EVIL, "tag": f'"{EVIL}" {EVIL}', "permalink": EVIL, "user_name": EVIL}
    first = {**hosted.VERSION, **shown, "body": TEXT, "body_html": TEXT, "creator_name": EVIL}
    old = {"title": EVIL, "state": EVIL, "tag": EVIL, "milestone": 10**17, "assigned_user": -5, EVIL: EVIL}
    last = {**first, "version": 2, "user_id": 9, "diffable_attributes": old, "created_at": hosted.LATER}
    files = [
        {**hosted.FILE, "id": number, "filename": name, "content_type": f"text/html\r\nX: {EVIL}"}
        for number, name in enumerate(_FILES, 90)
    ]
    beside = {LEAK.replace("ticket.json", name): PICTURE for name in _FILES[2:]}
    return {LEAK: ticket(versions=[first, last], attachments=files), **beside}


def _people():
    details = {"email": f"<script>@{EVIL}", "role": "member"}
    said = {"name": EVIL, "job": EVIL, "website": f"javascript:{EVIL}"}
    found = {f"users/{number}-x/user.json": {"user": said, "details": details} for number in (7, 8)}
    return {**found, "users/7-x/avatar.svg": PICTURE, "users/8-x/avatar.png": b"\x89PNG\r\n\x1a\n" + PICTURE}
