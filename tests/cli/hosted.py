"""Archives such as the hosted service made them: without e-mail addresses and exact moments."""

import io
import json
import tarfile

TIMESTAMP = "2009-02-11T15:58:02Z"
LATER = "2009-03-01T08:00:00+01:00"

LEAK = "projects/31-roof/tickets/12-it-leaks/ticket.json"
"""Where the ticket of the roof stands."""

PEOPLE = {7: "Dora", 8: "Emil"}

PROJECT = {
    "id": 31,
    "name": "Roof",
    "permalink": "roof",
    "created_at": TIMESTAMP,
    "archived": False,
    "public": False,
    "open_states": "new/f17\nopen/aaa",
    "closed_states": "resolved/6A0",
    "enable_points": False,
    "description": None,
}

VERSION = {
    "version": 1,
    "title": "It leaks",
    "state": "new",
    "closed": False,
    "tag": '"over the stairs" rain',
    "assigned_user_id": None,
    "milestone_id": 5,
    "body": "Water, see #3",
    "body_html": "<script>alert(1)</script>",
    "user_id": 7,
    "user_name": "Dora",
    "creator_id": 7,
    "creator_name": "Dora",
    "created_at": TIMESTAMP,
    "updated_at": TIMESTAMP,
    "diffable_attributes": {},
    "watchers_ids": [7],
    "spam": False,
    "priority": 9999,
    "importance": None,
}

REPLY = {
    **VERSION,
    "version": 3,
    "state": "resolved",
    "closed": True,
    "body": None,
    "assigned_user_id": 8,
    "user_id": 8,
    "user_name": "Emil",
    "created_at": LATER,
    "updated_at": LATER,
    "diffable_attributes": {"state": "new", "assigned_user": None},
    "watchers_ids": [7, 8],
}

FILE = {
    "id": 90,
    "code": "ab" * 20,
    "filename": "roof.txt",
    "content_type": "text/plain",
    "created_at": LATER,
    "uploader_id": 8,
    "size": 5,
    "width": None,
}


def ticket(number=12, versions=(VERSION, REPLY), **more):
    """A ticket as its file holds it."""
    last = versions[-1]
    opening = {"number": number, "created_at": versions[0]["created_at"], "creator_id": 7}
    shown = {**last, **opening, "versions": list(versions), "attachments": [], "raw_data": None, **more}
    return {"ticket": shown}


def roof(**more):
    """The files of an archive with one project, with others in addition or, as None, without some."""
    files = {
        "plan.json": {"plan": {}},
        "projects/31-roof/project.json": {"project": PROJECT},
        "projects/31-roof/memberships.json": {"memberships": [{"membership": {"id": 70, "user_id": 8}}]},
        "projects/31-roof/milestones/5-dry.json": {"milestone": {"id": 5, "title": "Dry", "goals": None}},
        LEAK: ticket(
            attachments=[{"attachment": FILE}, {"image": {**FILE, "id": 91, "filename": "lost.png"}}]
        ),
        "projects/31-roof/tickets/12-it-leaks/roof.txt": b"tiles",
        **{
            f"users/{number}-x/user.json": {"user": {"id": number, "name": PEOPLE[number]}}
            for number in PEOPLE
        },
    }
    return {name: content for name, content in {**files, **more}.items() if content is not None}


def packed(path, files, *odd, root="acme"):
    """Write the archive of an account, and odd members as they are."""
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            info = tarfile.TarInfo(f"{root}/{name}")
            info.size = len(raw)
            tar.addfile(info, io.BytesIO(raw))
        for info in odd:
            tar.addfile(info)
    return path
