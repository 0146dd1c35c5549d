"""The tools that change something; a read-only token does not see them."""

from collections.abc import Mapping
from typing import Any

from skerry.agents.arguments import Argument, Given, Tool
from skerry.agents.reading import LANGUAGE, NUMBER, PROJECT_ARGUMENT
from skerry.agents.texts import Marks, answered, brief
from skerry.agents.tracker import PROJECT, TICKET, TICKETS, Data, Refused, Tracker, item, items, place_of

_NUMBERS = 200
_WORKER = Argument(str, "your own name, if several share your token", "", longest=100)
_VALUES: Mapping[str, Argument] = {
    "state": Argument(str, "one of the project's states", longest=255),
    "assignee": Argument(str, "a member by name or id, `me`, or `none`", longest=255),
    "milestone": Argument(str, "a milestone by title or id, or `none`", longest=255),
    "tags": Argument(str, "all tags, separated by commas; they replace the present ones", longest=1_000),
    "importance": Argument(int, "0 is unset; higher is more important", most=2**31 - 1),
    "due_on": Argument(str, "a day such as 2027-01-31, or `none`", longest=10),
}


async def _values(tracker: Tracker, ids: Mapping[str, int], given: Given) -> Data:
    """Return the fields of a ticket that are given."""
    named: Mapping[str, Any] = {
        name: given[name] for name in ("title", "state") if given.get(name) is not None
    }
    values: Data = dict(named)
    if given["importance"] is not None:
        values["importance"] = given["importance"]
    if given["tags"] is not None:
        values["tag"] = given["tags"]
    if given["due_on"] is not None:
        values["due_on"] = None if given["due_on"] == "none" else given["due_on"]
    if given["assignee"] is not None:
        values["assigned_user_id"] = await _person(tracker, ids, given["assignee"])
    if given["milestone"] is not None:
        values["milestone_id"] = await _milestone(tracker, ids, given["milestone"])
    return values


async def _person(tracker: Tracker, ids: Mapping[str, int], wanted: str) -> int:
    if wanted == "none":
        return 0
    if wanted.isdecimal():
        return int(wanted)
    if wanted == "me":
        return int(item(await tracker.call("GET", "/profile"))["id"])
    members = items(await tracker.call("GET", f"{PROJECT}/memberships", {"project_id": ids["project_id"]}))
    people: list[Data] = [each.get("user") or {} for each in members]
    return _one(people, "name", wanted, "assignee")


async def _milestone(tracker: Tracker, ids: Mapping[str, int], wanted: str) -> int:
    if wanted == "none":
        return 0
    if wanted.isdecimal():
        return int(wanted)
    place, asked = {"project_id": ids["project_id"]}, {"limit": "100"}
    milestones = items(await tracker.call("GET", f"{PROJECT}/milestones", place, asked))
    return _one(milestones, "title", wanted, "milestone")


def _one(found: list[Data], field: str, wanted: str, called: str) -> int:
    """Return the id of the only one with a name; raises Refused."""
    fits = [each for each in found if str(each.get(field)).casefold() == wanted.casefold()]
    if len(fits) == 1:
        return int(fits[0]["id"])
    known = ", ".join(str(each.get(field)) for each in found[:20]) or "none"
    problem = "is not one of" if not fits else "is more than one; give the id of one of"
    raise Refused(f"{called} {wanted!r} {problem}: {known}")


def _saved(ticket: Data) -> str:
    if _waits(ticket):
        return answered(_waiting(ticket))
    return answered({**brief(ticket), "version": ticket.get("version")})


def _waits(made: Data) -> bool:
    """Return whether something is a text of a newcomer, which is no ticket and no comment yet."""
    return "kind" in made


def _waiting(held: Data) -> Data:
    note = "A member of the project has to release this before others see it; do not send it again"
    return {"held_text": held["id"], "number": held["number"], "note": note}


async def _create(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"])
    values = {**await _values(tracker, ids, given), "body": given["description"]}
    return _saved(item(await tracker.call("POST", TICKETS, ids, values={"ticket": values})))


async def _edit(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"], given["number"])
    values = await _values(tracker, ids, given)
    if not values:
        raise Refused("Nothing to change was given; use comment_on_ticket for a comment alone")
    if given["comment"]:
        values["body"] = given["comment"]
    return _saved(item(await tracker.call("PUT", TICKET, ids, values={"ticket": values})))


async def _comment(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"], given["number"])
    if not given["text"].strip():
        raise Refused("text can't be blank")
    said = {"version": {"body": given["text"]}}
    made = item(await tracker.call("POST", f"{TICKET}/versions", ids, values=said))
    if _waits(made):
        return answered(_waiting(made))
    text = Marks().text(made.get("body"), made.get("user_name"))
    return answered({"number": made.get("number"), "version": made.get("version"), "comment": text})


async def _bulk_edit(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"])
    if not given["query"].strip():
        raise Refused("query can't be blank; `all` means every ticket of the project")
    values = {name: given[name] for name in ("query", "command", "dry_run")}
    done = item(await tracker.call("POST", f"{PROJECT}/bulk_edit", ids, values={"bulk_edit": values}))
    shown = {name: done.get(name) for name in ("id", "dry_run", "query", "command", "count")}
    return answered({**shown, "numbers": (done.get("numbers") or [])[:_NUMBERS]})


async def _claim(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"], given["number"])
    values = {"minutes": given["minutes"], "worker": given["worker"]}
    return answered(item(await tracker.call("POST", f"{TICKET}/claim", ids, values={"claim": values})))


async def _give_back(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"], given["number"])
    await tracker.call("DELETE", f"{TICKET}/claim", ids, {"worker": given["worker"]})
    return answered({"number": given["number"], "given_back": True})


WRITING: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "create_ticket",
            "Create a ticket",
            "Create a ticket. Search first, so that nothing is reported twice. Texts are Markdown.",
            _create,
            {
                "title": Argument(str, "what is wrong or wanted, in one line", is_required=True, longest=255),
                "description": Argument(str, "the description, in Markdown", ""),
                "project": PROJECT_ARGUMENT,
                **_VALUES,
            },
            writes=True,
        ),
        Tool(
            "edit_ticket",
            "Change a ticket",
            "Change values of one ticket, with a comment if you like. What you leave out stays as it is.",
            _edit,
            {
                "number": NUMBER,
                "project": PROJECT_ARGUMENT,
                "title": Argument(str, "the new title", longest=255),
                **_VALUES,
                "comment": Argument(str, "a comment, in Markdown", ""),
            },
            writes=True,
        ),
        Tool(
            "comment_on_ticket",
            "Comment on a ticket",
            "Add a comment to one ticket and change nothing else. Watchers are notified.",
            _comment,
            {
                "number": NUMBER,
                "text": Argument(str, "the comment, in Markdown", is_required=True),
                "project": PROJECT_ARGUMENT,
            },
            writes=True,
        ),
        Tool(
            "bulk_edit",
            "Change many tickets",
            "Change all tickets of a project that a query finds. It is a dry run unless dry_run is false: "
            f"look at its count first, and ask your person before you change many. {LANGUAGE}",
            _bulk_edit,
            {
                "query": Argument(str, "which tickets", is_required=True, longest=2_000),
                "command": Argument(
                    str,
                    "what changes, such as state:resolved, responsible:ada, responsible:none, "
                    "milestone:next, tagged:wet, not-tagged:wet or importance:3; several separated by spaces",
                    is_required=True,
                    longest=2_000,
                ),
                "dry_run": Argument(bool, "whether nothing is changed", default=True),
                "project": PROJECT_ARGUMENT,
            },
            writes=True,
            destroys=True,
        ),
        Tool(
            "claim_ticket",
            "Claim a ticket",
            "Claim a ticket before you begin with it, so that nobody else does. Claim it again to renew, "
            "and give it back when you are done. If somebody else has claimed it, take another one.",
            _claim,
            {
                "number": NUMBER,
                "project": PROJECT_ARGUMENT,
                "minutes": Argument(int, "for how long", 60, least=15, most=240),
                "worker": _WORKER,
            },
            writes=True,
        ),
        Tool(
            "give_back_ticket",
            "Give a ticket back",
            "End your claim on a ticket, when you are done or cannot do it.",
            _give_back,
            {"number": NUMBER, "project": PROJECT_ARGUMENT, "worker": _WORKER},
            writes=True,
        ),
    )
}
"""The tools that change something, by name."""
