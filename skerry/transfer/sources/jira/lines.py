"""Issues with plain values, as scripts write them: one object an issue, without ``fields``."""

from collections.abc import Callable
from typing import Any

from skerry.errors import Invalid
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.jira.issues import Found, Issue, read_key
from skerry.transfer.sources.report import Report


def flat_issue(fields: Fields, project: Callable[[str], Found], _report: Report) -> tuple[Found, Issue]:
    """Return an issue with its project; people are named by their names."""
    named = read_key(fields.text("key"))
    if named is None:
        raise Invalid(f"{fields.place}: key must be that of an issue, such as ROOF-12")
    found = project(named.project)
    state, milestone = fields.text("state", ""), fields.text("milestone", "")
    versions = [*([milestone] if milestone else []), *fields.texts("fix_versions")]
    issue = Issue(
        fields.text("key"),
        fields.text("title", ""),
        fields.moment("created_at"),
        author=_person(found, fields, "author"),
        body=fields.text("body", ""),
        environment=fields.text("environment", ""),
        status=found.status(state, done=fields.truth("closed") if fields.has("closed") else None),
        resolution=fields.text("resolution", ""),
        kind=fields.text("type", ""),
        priority=fields.text("priority", ""),
        assignee=_person(found, fields, "assignee"),
        labels=fields.texts("labels"),
        components=fields.texts("components"),
        milestones=[found.milestone(name) for name in dict.fromkeys(versions)],
        affects=fields.texts("versions"),
        updated_at=fields.moment_or_none("updated_at"),
        resolved_at=fields.moment_or_none("resolved_at"),
        due_on=fields.day("due_on"),
        parent=fields.text("parent", ""),
        private=fields.truth("private"),
    )
    issue.links = [_link(fields, link) for link in fields.list("links")]
    issue.comments = [
        {
            "author": _person(found, each, "author"),
            "at": each.moment("created_at"),
            "body": each.text("body", ""),
        }
        for each in fields.several("comments")
    ]
    issue.files = [_file(found, each) for each in fields.several("attachments")]
    return found, issue


def _person(found: Found, fields: Fields, name: str) -> str:
    said = fields.text(name, "")
    return found.person(said, said)


def _link(fields: Fields, link: Any) -> list[str]:
    """Return the phrase and the key of a link: its type, the other key, and ``in`` or ``out``."""
    if not isinstance(link, list) or len(link) != 3 or not all(isinstance(each, str) for each in link):  # noqa: PLR2004
        raise Invalid(f"{fields.place}: links must be lists of a type, a key, and in or out")
    kind, key, direction = link
    return [f"is {kind}" if direction == "in" else kind, key]


def _file(found: Found, fields: Fields) -> dict[str, Any]:
    return {
        "id": str(fields.tree.get("id", "")),
        "name": fields.text("filename"),
        "author": _person(found, fields, "author"),
        "at": fields.moment("created_at"),
        "size": fields.number_or_none("size") or 0,
        "type": fields.text("content_type", ""),
        "url": "",
    }
