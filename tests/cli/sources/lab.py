"""A small project as GitLab exports it."""

import io
import json
import tarfile

HASH = "0123456789abcdef0123456789abcdef"
LOST = "f" * 32


def at(day, time="10:00:00.000"):
    return f"2026-03-{day:02}T{time}Z"


def note(text, day, author=22, **more):
    names = {22: "Ada Lovelace", 23: "Ben", 24: "Cy"}
    said = {
        "id": day,
        "note": text,
        "noteable_type": "Issue",
        "author_id": author,
        "author": {"name": names[author]},
    }
    return {**said, "created_at": at(day), "updated_at": at(day), "system": False, "award_emoji": [], **more}


def system(text, day, action, author=22):
    return note(text, day, author, system=True, system_note_metadata={"action": action})


def issue(iid, title="It leaks", **more):
    return {
        "id": 100 + iid,
        "iid": iid,
        "title": title,
        "author_id": 22,
        "project_id": 5,
        "description": "",
        "state": "opened",
        "created_at": at(1),
        "updated_at": at(1),
        "issue_assignees": [],
        "label_links": [],
        "notes": [],
        "confidential": False,
        "due_date": None,
        **more,
    }


DRY = {
    "id": 1,
    "iid": 1,
    "title": "Dry roof",
    "description": "No buckets",
    "due_date": "2026-05-01",
    "state": "active",
}

FILES = f"![stairs](/uploads/{HASH}/stairs.png) [x](/uploads/{LOST}/x.txt)"

LEAK = issue(
    7,
    description=f"See #9 and roof#9 and !3.\n\n{FILES}",
    state="closed",
    due_date="2026-04-02",
    issue_assignees=[{"user_id": 23, "issue_id": 107}],
    milestone=DRY,
    label_links=[{"label": {"title": "bug", "color": "#f00"}}, {"label": {"title": "over the stairs"}}],
    notes=[
        note("Mine too, @ada.l", 2, 23, award_emoji=[{"name": "clapper"}]),
        system("assigned to @ben", 3, "assignee", 24),
        system("changed title from **{-Wet-}** to **{+It leaks+}**", 4, "title"),
        system("changed due date to April 2, 2026", 4, "start_date_or_due_date"),
        system("marked this issue as related to #9", 5, "relate"),
        system("mentioned in merge request !3", 5, "cross_reference"),
        system("added 1h of time spent", 5, "time_tracking"),
        note(f"Done ![again](/uploads/{HASH}/stairs.png)", 6),
        note(f"Secret ![key](/uploads/{HASH}/stairs.png)", 7, internal=True),
    ],
    resource_label_events=[
        {"action": "add", "label": {"title": "wet"}, "user_id": 22, "created_at": at(3)},
        {"action": "remove", "label": {"title": "wet"}, "user_id": 22, "created_at": at(5)},
    ],
    resource_milestone_events=[
        {"action": "add", "milestone": DRY, "user_id": 22, "created_at": at(6, "12:00:00.000")}
    ],
    resource_state_events=[
        {"state": "closed", "user_id": 23, "created_at": at(7), "source_commit": "a1b2c3d4"}
    ],
    confidential=True,
    work_item_type={"base_type": "incident"},
    weight=3,
    award_emoji=[{"name": "tada"}],
)

PAINT = issue(9, "Paint", author_id=99, state="closed", closed_at=at(4), closed_by_id=22)


def lines(*objects):
    return "".join(f"{json.dumps(each)}\n" for each in objects)


EXPORT = {
    "VERSION": "0.2.4",
    "project.bundle": b"# v2 git bundle\n",
    "tree/project.json": json.dumps({"description": "A roof", "visibility_level": 0, "archived": False}),
    "tree/project/issues.ndjson": lines(LEAK, PAINT),
    "tree/project/milestones.ndjson": lines(DRY),
    "tree/project/labels.ndjson": lines({"title": "bug", "color": "#f00"}),
    "tree/project/merge_requests.ndjson": lines({"iid": 3}, {"iid": 4}),
    "tree/project/project_members.ndjson": lines(
        {"access_level": 40, "user": {"id": 22, "public_email": "", "username": "ada.l"}},
        {"access_level": 30, "user": {"id": 23, "public_email": "", "username": "ben"}},
    ),
    f"uploads/{HASH}/stairs.png": b"not really a picture",
    f"uploads/{LOST[:-1]}0/other.txt": b"of a merge request",
}


def packed(path, files=EXPORT):
    """Write an export as GitLab names its members."""
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            raw = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(raw)
            tar.addfile(info, io.BytesIO(raw))
    return path
