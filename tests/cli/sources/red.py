"""Answers of a small Redmine with every field, as its REST interface gives them."""

from urllib.parse import quote

ADDRESS = "https://red.example/tracker"
ADA, BEN, CY = {"id": 3, "name": "Ada L"}, {"id": 7, "name": "Ben B"}, {"id": 9, "name": "Roofers"}
ROOF, WALL = {"id": 1, "name": "Roof"}, {"id": 2, "name": "Wall"}
NEW, DOING, CLOSED = {"id": 1, "name": "New"}, {"id": 2, "name": "In Progress"}, {"id": 5, "name": "Closed"}


def at(day, time="10:00:00"):
    return f"2026-03-{day:02}T{time}Z"


def issue(number, **values):
    return {
        "id": number,
        "project": ROOF,
        "tracker": {"id": 1, "name": "Bug"},
        "status": NEW,
        "priority": {"id": 4, "name": "Normal"},
        "author": ADA,
        "subject": f"Issue {number}",
        "description": "",
        "start_date": None,
        "due_date": None,
        "done_ratio": 0,
        "is_private": False,
        "estimated_hours": None,
        "created_on": at(1),
        "updated_on": at(1),
        "closed_on": None,
        **values,
    }


def detail(name, old, new, kind="attr"):
    return {"property": kind, "name": name, "old_value": old, "new_value": new}


def journal(number, day, *details, user=BEN, notes="", private=False, **more):
    said = {"id": number, "user": user, "notes": notes, "created_on": at(day), "private_notes": private}
    return {**said, "details": list(details), **more}


def attachment(number, name, **more):
    return {
        "id": number,
        "filename": name,
        "filesize": 4,
        "content_type": "image/png",
        "description": "",
        "content_url": f"{ADDRESS}/attachments/download/{number}/{quote(name)}",
        "author": ADA,
        "created_on": at(2),
        **more,
    }


def relation(number, first, second, kind, delay=None):
    return {
        "id": number,
        "issue_id": first,
        "issue_to_id": second,
        "relation_type": kind,
        "delay": delay,
    }


TEXT = """\
h2. Rain

It *leaks*, see #9-2, ##4, #6 and wall:#4, r12, commit:abc1234 and user#7. Ask @ada or user:ben!
!a b.png! !"x":y !stairs.png! !gone.png! attachment:"a b.png" {{toc}} [[Roof plan|plan]] %{color:red}now%

|_. Tile|_. Count|
|@a|b@|2|

<pre><code class="ruby">
puts "#9 @ada"
</code></pre>
"""
LEAK = issue(
    7,
    tracker={"id": 2, "name": "Feature"},
    status=CLOSED,
    priority={"id": 6, "name": "Urgent"},
    assigned_to=CY,
    category={"id": 31, "name": "Tiles, red"},
    fixed_version={"id": 5, "name": "1.0"},
    parent={"id": 9},
    subject="It leaks",
    description=TEXT,
    start_date="2026-03-01",
    due_date="2026-04-02",
    done_ratio=60,
    estimated_hours=2.5,
    spent_hours=1.0,
    custom_fields=[
        {"id": 1, "name": "Team", "value": "Us *all*"},
        {"id": 2, "name": "Seen by", "multiple": True, "value": ["3", "8"]},
        {"id": 3, "name": "Wet", "value": "1"},
        {"id": 4, "name": "Dry", "value": ""},
        {"id": 6, "name": "Size", "value": "60"},
    ],
    updated_on=at(9),
    closed_on=at(8),
    children=[{"id": 4, "tracker": {"id": 1, "name": "Bug"}, "subject": "Wall"}],
    attachments=[
        attachment(41, "stairs.png", description="Over the stairs"),
        attachment(42, "a b.png", filesize=9),
        attachment(43, "lost.png"),
    ],
    relations=[relation(1, 9, 7, "blocks"), relation(2, 7, 4, "precedes", 2)],
    changesets=[{"revision": "12", "user": ADA, "comments": "Lay", "committed_on": at(3)}],
    watchers=[ADA, BEN],
    reactions=[{"emoji": "thumb", "user": BEN}],
    allowed_statuses=[NEW, CLOSED],
    story_points=5,
    journals=[
        journal(1, 3, detail("status_id", "1", "2"), detail("done_ratio", "0", "60"), notes="@rain@"),
        journal(2, 4, notes="Secret", private=True),
        journal(
            3,
            5,
            detail("subject", "Drips", "It leaks"),
            detail("assigned_to_id", None, "9"),
            detail("fixed_version_id", None, "5"),
            detail("priority_id", "4", "6"),
            detail("due_date", "2026-04-01", "2026-04-02"),
            detail("tracker_id", "1", "2"),
            detail("category_id", None, "31"),
            detail("description", "Old", TEXT),
            detail("1", "Them", "Us *all*", "cf"),
            detail("41", None, "stairs.png", "attachment"),
            detail("40", "old.png", None, "attachment"),
            detail("blocks", None, "9", "relation"),
        ),
        journal(4, 8, detail("status_id", "2", "5"), user=ADA, notes="See #note-1.", updated_on=at(8)),
        journal(5, 9, notes="> It leaks\n\nNo more", user=ADA, reactions=[{"emoji": "thumb", "user": BEN}]),
    ],
)
ANSWERS = {
    "page-1.json": {
        "issues": [
            {**LEAK, "subject": "Old", "updated_on": at(5), "journals": None},
            issue(9, author={"id": 8, "name": "Di"}),
            issue(6, is_private=True, subject="Hidden"),
        ],
        "total_count": 5,
        "offset": 0,
        "limit": 100,
    },
    "page-2.json": {"issues": [issue(4, project=WALL, subject="Cracks")], "total_count": 5, "offset": 3},
    "issues/7.json": {"issue": LEAK},
    "issues/9.json": {"issue": issue(9, author={"id": 8, "name": "Di"}, journals=[])},
    "projects.json": {
        "projects": [
            {
                **ROOF,
                "identifier": "roof",
                "description": "Of the *barn*",
                "homepage": "https://barn.example",
                "status": 1,
                "is_public": True,
                "created_on": at(1),
            },
            {**WALL, "identifier": "wall", "parent": ROOF, "status": 5, "created_on": at(1)},
            {"id": 3, "name": "Empty", "identifier": "empty"},
        ]
    },
    "versions.json": {
        "versions": [
            {
                "id": 5,
                "project": ROOF,
                "name": "1.0",
                "description": "The first_one_",
                "status": "closed",
                "due_date": "2026-05-01",
                "sharing": "tree",
                "wiki_page_title": "One",
                "created_on": at(1),
                "updated_on": at(9),
            },
            {"id": 6, "project": WALL, "name": "2.0", "status": "open"},
        ],
        "total_count": 2,
    },
    "statuses.json": {
        "issue_statuses": [
            {**NEW, "is_closed": False},
            {**DOING, "is_closed": False},
            {**CLOSED, "is_closed": True},
        ]
    },
    "priorities.json": {
        "issue_priorities": [
            {"id": 4, "name": "Normal", "is_default": True},
            {"id": 6, "name": "Urgent", "active": True},
        ]
    },
    "trackers.json": {"trackers": [{"id": 1, "name": "Bug"}, {"id": 2, "name": "Feature"}]},
    "fields.json": {
        "custom_fields": [
            {"id": 2, "name": "Seen by", "field_format": "user", "multiple": True},
            {"id": 3, "name": "Wet", "field_format": "bool"},
            {"id": 6, "name": "Size", "possible_values": [{"value": "60", "label": "Large"}]},
        ]
    },
    "users.json": {
        "users": [
            {"id": 3, "login": "ada", "firstname": "Ada", "lastname": "L", "mail": "ada@red.example"},
            {
                "id": 7,
                "login": "ben",
                "firstname": "Ben",
                "lastname": "B",
                "mail": "b@red.example",
                "status": 3,
            },
        ]
    },
    "groups.json": {"groups": [CY]},
    "time.json": {"time_entries": [{"id": 1}, {"id": 2}], "total_count": 2},
    "members.json": {"memberships": [{"id": 1}]},
    "wiki.json": {"wiki_pages": [{"title": "Start"}]},
    "more.json": {"issue_templates": [{"id": 1}]},
}
FILES = {"files/41/stairs.png": "rain", "files/42/a%20b.png": "rain"}
