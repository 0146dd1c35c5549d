"""The tools that read."""

from collections.abc import Mapping

from skerry.agents.arguments import Argument, Given, Tool
from skerry.agents.texts import Marks, answered, brief, cut
from skerry.agents.tracker import PROJECT, TICKET, TICKETS, Data, Refused, Tracker, item, items, place_of

PROJECT_ARGUMENT = Argument(
    str, "the project, by name or id; may be left out if you see only one", "", longest=255
)
NUMBER = Argument(int, "the number of the ticket in its project", is_required=True, least=1)

_ANY_PROJECT = Argument(str, "the project, by name or id; without it, all projects", "", longest=255)
_PAGE_SIZE, _COMMENTS, _MEMBERS, _TAGS, _MILESTONES = 20, 30, 100, 50, 50
_READY = "is:ready"

LANGUAGE = (
    "Words, and keywords such as state:open, responsible:me, responsible:none, tagged:rain, milestone:next, "
    "importance:>=3, due:overdue, updated:'since 7 days ago', is:ready, is:blocked, is:claimed, "
    "blocked-by:#12; - before a term negates it, OR between terms, sort:importance or sort:updated orders."
)


async def _tickets(tracker: Tracker, project: str, query: str, page: int = 1) -> Data:
    """Return a page of tickets, of one project or of all."""
    asked = {"q": query, "limit": str(_PAGE_SIZE), "page": str(page)}
    if project or tracker.project:
        answer = await tracker.call("GET", TICKETS, await place_of(tracker, project), asked)
    else:
        answer = await tracker.call("GET", "/tickets", query=asked)
    listed = [brief(each) for each in items(answer)]
    return {"query": query, "total": answer.total, "page": page, "tickets": listed}


async def _search(tracker: Tracker, given: Given) -> str:
    return answered(await _tickets(tracker, given["project"], given["query"], given["page"]), ["tickets"])


async def _next_work(tracker: Tracker, given: Given) -> str:
    query = given["query"].strip()
    if "sort:" in query:
        raise Refused("query must not have a sort: next_work orders by importance and due date")
    asked = f"{_READY}{f' ({query})' if query else ''} sort:(importance,due)"
    return answered(await _tickets(tracker, given["project"], asked), ["tickets"])


async def _read_ticket(tracker: Tracker, given: Given) -> str:
    ids = await place_of(tracker, given["project"], given["number"])
    ticket = item(await tracker.call("GET", TICKET, ids))
    claim = item(await tracker.call("GET", f"{TICKET}/claim", ids))
    versions = [each for each in ticket.get("versions") or [] if (each.get("version") or 0) > 1]
    if given["before"]:
        versions = [each for each in versions if each["version"] < given["before"]]
    marks = Marks()
    shown = {
        **brief(ticket),
        "version": ticket.get("version"),
        "created_at": ticket.get("created_at"),
        "description": marks.text(ticket.get("body"), ticket.get("creator_name")),
        "links": [_link(each) for each in ticket.get("links") or []],
        "attachments": [_file(each.get("attachment", each)) for each in ticket.get("attachments") or []],
        "earlier": max(0, len(versions) - _COMMENTS),
        "history": [_change(each, marks) for each in versions[-_COMMENTS:]],
    }
    if claim.get("expires_at"):
        shown["claimed_by"] = {name: claim[name] for name in ("user_name", "worker", "expires_at")}
    return answered(shown, ["history"])


def _link(link: Data) -> Data:
    return {name: link.get(name) for name in ("kind", "ticket", "title", "state", "closed")}


def _file(attachment: Data) -> Data:
    return {name: attachment.get(name) for name in ("filename", "size", "url")}


def _change(version: Data, marks: Marks) -> Data:
    change: Data = {name: version.get(name) for name in ("version", "user_name", "created_at")}
    if version.get("body"):
        change["comment"] = marks.text(version["body"], version.get("user_name"))
    if version.get("diffable_attributes"):
        change["old_values"] = version["diffable_attributes"]
    return change


async def _projects(tracker: Tracker, given: Given) -> str:
    if not given["project"]:
        projects = items(await tracker.call("GET", "/projects"))
        return answered({"projects": [_project(each) for each in projects]}, ["projects"])
    ids = await place_of(tracker, given["project"])
    project = item(await tracker.call("GET", PROJECT, ids))
    members = items(await tracker.call("GET", f"{PROJECT}/memberships", ids))
    milestones = items(await tracker.call("GET", f"{PROJECT}/milestones", ids, {"limit": str(_MILESTONES)}))
    tags = items(await tracker.call("GET", f"{PROJECT}/tags", ids))
    people: list[Data] = [each.get("user") or {} for each in members[:_MEMBERS]]
    shown = {
        **_project(project),
        "description": Marks().text(project.get("description"), "the members"),
        "open_states": project.get("open_states_list"),
        "closed_states": project.get("closed_states_list"),
        "importance_levels": project.get("importance_levels"),
        "members": [_named(person) for person in people],
        "milestones": [_milestone(each) for each in milestones],
        "tags": [each.get("name") for each in tags[:_TAGS]],
    }
    return answered(shown, ["tags", "milestones", "members"])


def _project(project: Data) -> Data:
    return {name: project.get(name) for name in ("id", "name", "public", "archived", "open_tickets_count")}


def _named(person: Data) -> Data:
    return {"id": person.get("id"), "name": cut(person.get("name"), 255)}


def _milestone(milestone: Data) -> Data:
    return {
        name: milestone.get(name) for name in ("id", "title", "due_on", "completed_at", "open_tickets_count")
    }


async def _events(tracker: Tracker, given: Given) -> str:
    asked = {"limit": str(given["limit"])} | ({"after": given["after"]} if given["after"] else {})
    if given["project"] or tracker.project:
        ids = await place_of(tracker, given["project"])
        answer = await tracker.call("GET", f"{PROJECT}/events", ids, asked)
    else:
        answer = await tracker.call("GET", "/events", query=asked)
    found = [{name: value for name, value in each.items() if value is not None} for each in items(answer)]
    return answered({"events": found, "after": answer.last})


READING: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search_tickets",
            "Search tickets",
            f"Find tickets by a query, {_PAGE_SIZE} a page, without their texts. {LANGUAGE} Use it to look "
            "for known problems before you create a ticket, and to answer questions about many tickets.",
            _search,
            {
                "query": Argument(str, "the query; empty finds everything", "", longest=2_000),
                "project": _ANY_PROJECT,
                "page": Argument(int, "the page, from 1", 1, least=1, most=10_000),
            },
        ),
        Tool(
            "next_work",
            "Find work to do next",
            "Find tickets that are ready to start, the most important first: open tickets that are not "
            "blocked and not claimed. Then claim the first one that you can do with claim_ticket, before "
            "you begin; if that is refused, take the next.",
            _next_work,
            {
                "query": Argument(
                    str,
                    "narrows it down, such as responsible:me or tagged:docs; without sort",
                    "",
                    longest=1_900,
                ),
                "project": _ANY_PROJECT,
            },
        ),
        Tool(
            "read_ticket",
            "Read a ticket",
            f"Read one ticket with its description, its links and its newest {_COMMENTS} comments and "
            "changes.",
            _read_ticket,
            {
                "number": NUMBER,
                "project": PROJECT_ARGUMENT,
                "before": Argument(int, "show the history before this version; 0 shows the newest", 0),
            },
        ),
        Tool(
            "list_projects",
            "List projects",
            "List the projects that you see; with `project`, one of them with its members, states, "
            "milestones and tags. Use it to learn which names other tools accept.",
            _projects,
            {"project": Argument(str, "a project, by name or id; without it, the list", "", longest=255)},
        ),
        Tool(
            "list_events",
            "List events",
            "List what happened, the oldest first. Keep the `after` of the answer, and send it to get what "
            "happened since.",
            _events,
            {
                "after": Argument(
                    str,
                    "the `after` of an earlier answer, or `now` to begin; empty for the oldest kept",
                    "",
                    longest=100,
                ),
                "project": _ANY_PROJECT,
                "limit": Argument(int, "how many", 50, least=1, most=100),
            },
        ),
    )
}
"""The tools that read, by name."""
