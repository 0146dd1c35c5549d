"""A small repository as the REST interface of GitHub gives it."""

import json
import zlib

API = "https://api.github.com/repos/octo/roof"
WEB = "https://github.com/octo/roof"
SHA = "6dcb09b5b57875f334f61aebed695e2e4193db5e"


def at(day, time="10:00:00"):
    return f"2026-03-{day:02}T{time}Z"


def user(name):
    return {"login": name, "id": 1, "type": "User", "url": f"https://api.github.com/users/{name}"}


def milestone(title="Dry", **more):
    return {
        "url": f"{API}/milestones/1",
        "number": 1,
        "title": title,
        "description": "No more buckets",
        "creator": user("ada-l"),
        "open_issues": 1,
        "state": "closed",
        "created_at": at(1),
        "updated_at": at(9),
        "due_on": "2026-05-01T07:00:00Z",
        "closed_at": at(9),
        **more,
    }


def issue(number, title="It leaks", **more):
    return {
        "url": f"{API}/issues/{number}",
        "repository_url": API,
        "html_url": f"{WEB}/issues/{number}",
        "id": 1000 + number,
        "number": number,
        "title": title,
        "user": user("ada-l"),
        "labels": [],
        "state": "open",
        "state_reason": None,
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": 0,
        "created_at": at(2),
        "updated_at": at(2),
        "closed_at": None,
        "body": None,
        "reactions": {"total_count": 0},
        **more,
    }


def comment(number, body, name="ben", day=3, **more):
    said = {
        "id": zlib.crc32(f"{number} {body}".encode()),
        "user": user(name),
        "created_at": at(day),
        "updated_at": at(day),
    }
    return {
        "url": f"{API}/issues/comments/1",
        "issue_url": f"{API}/issues/{number}",
        "body": body,
        **said,
        **more,
    }


def event(number, kind, day, name="ada-l", **more):
    base = {"id": 10**6 + 100 * day + len(str(more)), "url": f"{API}/issues/events/1", "actor": user(name)}
    return {**base, "event": kind, "created_at": at(day), "issue": {"url": f"{API}/issues/{number}"}, **more}


LEAK = issue(
    7,
    labels=[{"name": "bug", "color": "f00"}, {"name": "over the stairs", "color": "00f"}],
    state="closed",
    state_reason="not_planned",
    closed_at=at(8),
    assignee=user("ben"),
    assignees=[user("ben"), user("cy")],
    milestone=milestone(),
    body=f"See #4, #9, octo/roof#9, GH-9, {WEB}/issues/9#issuecomment-1 and {SHA}.\n\n`#4` #336699 #5",
    reactions={"total_count": 3},
    locked=True,
    type={"name": "Task"},
    updated_at=at(9),
)

EVENTS = [
    event(7, "labeled", 3, label={"name": "wet"}),
    event(7, "unlabeled", 4, label={"name": "wet"}),
    event(7, "labeled", 4, label={"name": "bug"}, id=1),
    event(7, "assigned", 5, assignee=user("ben"), assigner=user("cy")),
    event(7, "milestoned", 5, name="cy", milestone={"title": "Dry"}, id=2),
    event(7, "renamed", 6, rename={"from": "Wet", "to": "It leaks"}),
    event(7, "closed", 7, commit_id=SHA),
    event(7, "reopened", 7, name="ben", id=3),
    event(7, "closed", 8, state_reason="not_planned"),
    event(7, "subscribed", 8, id=4),
    event(7, "pinned", 8, id=5),
]

MERGE = issue(4, "Mend it", pull_request={"url": f"{API}/pulls/4"})
PAINT = issue(
    9, "Paint", state="closed", closed_at=at(4), closed_by=user("ben"), parent_issue_url=f"{API}/issues/7"
)

ANSWERS = {
    "a.json": json.dumps([LEAK, MERGE]) + json.dumps([PAINT]),
    "b": json.dumps([[comment(7, "Mine too, @Ada-L")], [comment(4, "Nice")]]),
    "c.json": EVENTS,
    "d.json": [milestone()],
    "e.json": {
        "id": 1,
        "full_name": "octo/roof",
        "owner": user("octo"),
        "html_url": WEB,
        "created_at": at(1),
    },
    "f.json": {**user("ada-l"), "name": "Ada Lovelace", "email": None},
    "g.json": [{"id": 1, "name": "bug", "color": "f00", "description": "Wrong"}],
}
