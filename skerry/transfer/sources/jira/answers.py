"""Issues of Jira's interface: answers of its search, single issues, one a line."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from skerry.errors import Invalid
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.jira.issues import Found, Issue, Text, read_key
from skerry.transfer.sources.records import Milestone
from skerry.transfer.sources.report import Report

_KEPT = frozenset(
    (
        *("summary", "description", "environment", "status", "resolution", "issuetype", "priority", "labels"),
        *("components", "fixVersions", "versions", "creator", "reporter", "assignee", "created", "updated"),
        *("resolutiondate", "duedate", "parent", "epic", "issuelinks", "subtasks", "comment", "attachment"),
        *("project", "statuscategorychangedate", "lastViewed", "workratio", "watches", "flagged", "votes"),
        *("progress", "aggregateprogress", "statusCategory", "security", "worklog", "issuerestriction"),
    )
)
_IGNORED_VALUES: tuple[Any, ...] = (None, "", [], {}, 0, False)


class Answers:
    """Reads the issues, and tells a report what is not kept."""

    def __init__(self, project: Callable[[str], Found], report: Report) -> None:
        """Create a reader; ``project`` returns what was found in a project by its key."""
        self._project, self._report = project, report

    def issue(self, fields: Fields) -> tuple[Found, Issue]:
        """Return an issue with its project; one that only some people were allowed to read is private."""
        key = fields.text("key")
        named, values = read_key(key), fields.one("fields")
        if named is None or values is None:
            raise Invalid(f"{fields.place}: key and fields must be those of an issue")
        found = self._project(named.project)
        _note_project(found, fields, values)
        issue = self._read(found, key, values)
        issue.private = _is_restricted(values)
        issue.id = str(fields.tree.get("id") or "")
        comments = values.one("comment")
        if comments:
            issue.missing = comments.number_or_none("total") or 0
            self.add_comments(found, issue, comments.several("comments"))
        issue.files = list(_files(found, values))
        issue.history = list(self._history(found, fields))
        issue.links = list(_links(values))
        self._count_lost(key, values)
        return found, issue

    def add_comments(self, found: Found, issue: Issue, comments: Iterable[Fields]) -> None:
        """Add comments to an issue, each once; those that only some people could read are lost."""
        for each in comments:
            number = str(each.tree.get("id") or "")
            if number and number in issue.comment_ids:
                continue
            issue.comment_ids |= {number: None}
            issue.missing -= 1
            # Comments for the agents of a service desk are not public there.
            if each.one("visibility") or each.tree.get("jsdPublic") is False:
                self._report.lose("{n} {comment|comments} that only some could read", issue.key)
                continue
            author = _person(found, each, "author")
            issue.comments.append(
                {"author": author, "at": each.moment("created"), "body": _text(each, "body")}
            )

    def is_project(self, fields: Fields) -> bool:
        """Note the name and the versions of a project, and return whether it is one."""
        key = fields.text("key", "")
        if read_key(f"{key}-1") is None:
            return False
        found = self._project(key)
        found.name = fields.text("name", "")
        found.description = _text(fields, "description")
        for version in fields.several("versions"):
            _version(found, version)
        return True

    def _read(self, found: Found, key: str, values: Fields) -> Issue:
        status = values.one("status")
        epic, parent = values.one("epic"), values.one("parent")
        return Issue(
            key,
            values.text("summary", ""),
            values.moment("created"),
            author=_person(found, values, "reporter") or _person(found, values, "creator"),
            body=_text(values, "description"),
            environment=_text(values, "environment"),
            status=found.status(status.text("name"), done=_done(status)) if status else "",
            resolution=_name(values, "resolution"),
            kind=_name(values, "issuetype"),
            priority=_priority(found, values),
            assignee=_person(found, values, "assignee"),
            labels=values.texts("labels"),
            components=[each.text("name") for each in values.several("components")],
            milestones=[_version(found, each) for each in values.several("fixVersions")],
            affects=[each.text("name") for each in values.several("versions")],
            updated_at=values.moment_or_none("updated"),
            resolved_at=values.moment_or_none("resolutiondate"),
            due_on=values.day("duedate"),
            parent=(parent or epic or Fields("", {})).text("key", ""),
        )

    def _history(self, found: Found, fields: Fields) -> Iterator[dict[str, Any]]:
        log = fields.one("changelog")
        if log is None:
            return
        count = 0
        for change in log.several("histories" if log.has("histories") else "values"):
            count += 1
            items = [
                {
                    "field": each.text("field").lower(),
                    "from": each.text("from", ""),
                    "to": each.text("to", ""),
                    "old": each.text("fromString", ""),
                    "new": each.text("toString", ""),
                }
                for each in change.several("items")
            ]
            yield {"author": _person(found, change, "author"), "at": change.moment("created"), "items": items}
        missing = (log.number_or_none("total") or 0) - count
        if missing > 0:
            sentence = "{n} {change|changes} of issues that the export announces and does not have"
            self._report.lose(sentence, fields.text("key"), missing)

    def _count_lost(self, key: str, values: Fields) -> None:
        """Count what a ticket has no place for."""
        for name, value in values.tree.items():
            if name not in _KEPT and value not in _IGNORED_VALUES:
                self._report.lose(f"{{n}} {{value|values}} of {name[:50]}", key)
        for name, member, words in (
            ("votes", "votes", "votes"),
            ("watches", "watchCount", "watchers, whom it does not name"),
        ):
            tree = values.tree.get(name)
            count = tree.get(member) if isinstance(tree, dict) else 0
            if isinstance(count, int) and count > 0:
                self._report.lose(f"{{n}} {words}", key, count)
        log = values.one("worklog")
        if log and log.list("worklogs"):
            self._report.lose("{n} {record|records} of work", key, len(log.list("worklogs")))


def _note_project(found: Found, fields: Fields, values: Fields) -> None:
    project = values.one("project")
    if project and not found.name:
        found.name = project.text("name", "")
    if not found.address and (own := urlsplit(fields.text("self", ""))).netloc:
        path = own.path.partition("/rest/")[0]
        found.origin, found.address = own.hostname or "", f"{own.scheme}://{own.netloc}{path}"


def _files(found: Found, values: Fields) -> Iterator[dict[str, Any]]:
    for each in values.several("attachment"):
        yield {
            "id": each.text("id", ""),
            "name": each.text("filename"),
            "author": _person(found, each, "author"),
            "at": each.moment("created"),
            "size": each.number_or_none("size") or 0,
            "type": each.text("mimeType", ""),
            "url": each.text("content", ""),
        }


def _priority(found: Found, values: Fields) -> str:
    priority = values.one("priority")
    if priority is None:
        return ""
    name, number = priority.text("name"), priority.text("id", "")
    found.priorities.setdefault(name, int(number[:9]) if number.isdecimal() else len(found.priorities))
    return name


def _done(status: Fields) -> bool | None:
    category = status.one("statusCategory")
    return category.text("key", "") == "done" if category else None


def _is_restricted(values: Fields) -> bool:
    """Return whether an issue has a security level, or is restricted to roles."""
    restriction = values.one("issuerestriction")
    return bool(values.tree.get("security") or (restriction and restriction.tree.get("issuerestrictions")))


def _name(values: Fields, name: str) -> str:
    named = values.one(name)
    return named.text("name") if named else ""


def _text(values: Fields, name: str) -> Text:
    """Return a text in Jira's markup; newer interfaces send documents instead."""
    value = values.tree.get(name)
    return value if isinstance(value, dict) else values.text(name, "")


def _person(found: Found, values: Fields, name: str) -> str:
    """Return the key of a person, or nothing for nobody."""
    person = values.one(name)
    if person is None:
        return ""
    shown = person.text("displayName", "")
    key = person.text("name", "") or person.text("accountId", "") or person.text("key", "") or shown
    return found.person(key, shown, person.text("emailAddress", ""))


def _version(found: Found, version: Fields) -> str:
    return found.milestone(version.text("name"), partial(_milestone, version))


def _milestone(version: Fields) -> Milestone:
    name, day = version.text("name"), version.day("releaseDate")
    released = version.moment_or_none("releaseDate") if version.truth("released") else None
    return Milestone(name, name, version.text("description", ""), day, released)


def _links(values: Fields) -> Iterator[list[str]]:
    for link in values.several("issuelinks"):
        kind = link.one("type") or Fields(link.place, {})
        for end, phrase in (("outwardIssue", "outward"), ("inwardIssue", "inward")):
            other = link.one(end)
            if other is not None:
                yield [kind.text(phrase, "") or kind.text("name", ""), other.text("key")]
