"""Issues of Jira as tickets: their history, their states, their texts as Markdown."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from skerry.text.markup import jira, jira_lines
from skerry.transfer.sources import moments
from skerry.transfer.sources.files import SourceFile
from skerry.transfer.sources.jira import documents
from skerry.transfer.sources.jira.issues import Found, Issue, Text
from skerry.transfer.sources.records import Attachment, Change, Edit, Link, Ticket, Values
from skerry.transfer.sources.report import Report

_TOLD = {
    "colors": "{n} {color|colors} of texts",
    "pictures": "{n} {picture|pictures} in texts whose files are not in the export; their names stay",
    "files": "{n} {link|links} in texts to files that are not in the export; their names stay",
    "texts": "{n} {text|texts} too long to be shown with markup, which {stays|stay} as {it is|they are}",
    "levels": "{n} {part|parts} of texts nested too deeply, of which only the words stay",
    "merged": "{n} merged {cell of a table has|cells of tables have} empty ones beside {it|them}",
    "panels": "{n} {panel is a quotation|panels are quotations}, which no longer {says|say} of which kind",
}
_UNNAMED = "{n} {picture or file|pictures or files} in texts, without a name"
_PHRASES = (
    ("block", "blocks", "blocked-by"),
    ("depend", "blocked-by", "blocks"),
    ("duplicate", "duplicates", "duplicated-by"),
    ("clone", "relates-to", "relates-to"),
)
# What happens with the fields of a history; the others are counted.
_TOGETHER = 2_000_000
_SILENT = frozenset(("comment", "resolutiondate", "rank"))


class Tickets:
    """Makes tickets of the issues of one project."""

    def __init__(self, found: Found, files: Mapping[str, SourceFile], report: Report) -> None:
        """Create a maker; all issues must have been noted in ``found``."""
        self._found, self._files, self._report = found, files, report
        self._closed = {name for name, done in found.statuses.items() if done}
        self._open = next((name for name, done in found.statuses.items() if not done), "Open")

    def ticket(self, issue: Issue) -> Ticket:
        """Return an issue as a ticket."""
        names = jira_lines.Names(self._person, self._file_address(issue))
        values = self._values(issue)
        ticket = Ticket(
            issue.key,
            values,
            issue.author,
            issue.created_at,
            self._body(issue, names),
            issue.updated_at,
            watchers=issue.watchers,
            private=issue.private,
        )
        ticket.changes = [
            Change(each["author"], each["at"], _markdown(each["body"], names)) for each in issue.comments
        ]
        changes = list(self._history(issue, names))
        ticket.changes += changes
        if not any("state" in change.edits for change in changes):
            ticket.changes += self._closing(issue, values)
        ticket.attachments = list(self._attachments(issue))
        ticket.links = list(self._links(issue))
        _tell(names.told, issue.key, self._report)
        return ticket

    def _person(self, key: str) -> str:
        person = self._found.people.get(key)
        return person.name if person else ""

    def _file_address(self, issue: Issue) -> Callable[[str], str]:
        there = {each["name"]: each for each in issue.files if self._content(issue, each)}

        def address(name: str) -> str:
            return f"attachment:{name}" if name in there else ""

        return address

    def _body(self, issue: Issue, names: jira_lines.Names) -> str:
        """Return the description, followed by what has no field here."""
        parts = [_markdown(issue.body, names)]
        if environment := _markdown(issue.environment, names).strip():
            parts.append(f"**Environment**\n\n{environment}")
            self._report.change(
                "{n} {environment is|environments are} at the end of the first text", issue.key
            )
        if issue.affects:
            versions = ", ".join(_markdown(each, names) for each in issue.affects)
            parts.append(f"**Affected versions:** {versions}")
            self._report.change(
                "{n} {list|lists} of affected versions {is|are} at the end of the first text", issue.key
            )
        return "\n\n".join(part for part in parts if part)

    def _values(self, issue: Issue) -> Values:
        tags = {*issue.labels, *issue.components, *([issue.kind] if issue.kind else [])}
        if issue.kind:
            self._report.change("{n} {type is a tag|types are tags}", issue.kind)
        if issue.components:
            self._report.change(
                "{n} {component is a tag|components are tags}", issue.components[0], len(issue.components)
            )
        if more := issue.milestones[1:]:
            self._report.lose(
                "{n} fix {version|versions} besides the first one of an issue",
                f"{issue.key} {more[0]}",
                len(more),
            )
        return Values(
            issue.title,
            self._state(issue.status, issue.resolution),
            frozenset(tags),
            issue.assignee,
            issue.milestones[0] if issue.milestones else "",
            issue.priority if issue.priority in self._found.priorities else "",
            issue.due_on,
        )

    def _state(self, status: str, resolution: str) -> str:
        """Return the resolution of a closed issue, which says more than its status."""
        return resolution if resolution and status in self._closed else status or self._open

    def _closing(self, issue: Issue, values: Values) -> Iterator[Change]:
        """Yield the end of an issue without a history: by the author of a comment of that moment, if any."""
        at = issue.resolved_at
        if at is None or issue.status not in self._closed:
            return
        near = (each["author"] for each in issue.comments if abs(each["at"] - at) <= _TOGETHER)
        author = next(near, "")
        if not author:
            sentence = "{n} {issue was|issues were} closed by somebody whom the export does not name"
            self._report.change(sentence, issue.key)
        yield Change(author, at, "", {"state": Edit(self._open, values.state)})

    def _history(self, issue: Issue, names: jira_lines.Names) -> Iterator[Change]:
        """Yield the changes of an issue from the last one to the first one."""
        status, resolution = issue.status, issue.resolution
        versions = list(issue.milestones)
        for told in sorted(issue.history, key=lambda change: change["at"], reverse=True):
            change = Change(told["author"], told["at"])
            after, milestone = (status, resolution), versions[:1]
            for item in reversed(told["items"]):
                if item["field"] == "status":
                    after, status = (item["new"], after[1]), item["old"]
                elif item["field"] == "resolution":
                    after, resolution = (after[0], item["new"]), item["old"]
                elif item["field"] == "fix version":
                    _undo(versions, item)
                elif item["field"] == "description":
                    change.text_before = _markdown(item["old"], names)
                else:
                    self._item(change, item, issue.key)
            edit = Edit(self._state(status, resolution), self._state(*after))
            if edit.before != edit.after:
                change.edits["state"] = edit
            if milestone != versions[:1]:
                change.edits["milestone"] = Edit("".join(versions[:1]), "".join(milestone))
            if not change.is_empty or change.text_before is not None:
                yield change

    def _item(self, change: Change, item: Mapping[str, Any], key: str) -> None:
        """Add one changed field to a change."""
        name, old, new = item["field"], item["old"], item["new"]
        if name == "summary":
            change.edits["title"] = Edit(old, new)
        elif name == "priority":
            change.edits["level"] = Edit(old, new)
        elif name == "assignee":
            people = [
                self._found.person(item[end], item[said]) for end, said in (("from", "old"), ("to", "new"))
            ]
            change.edits["assignee"] = Edit(*people)
        elif name == "duedate":
            change.edits["due_on"] = Edit(*(moments.day(item[end]) for end in ("from", "to")))
        elif name in ("labels", "component", "issuetype"):
            before, after = (set(text.split()) if name == "labels" else {text} - {""} for text in (old, new))
            change.tagged |= after - before
            change.untagged |= before - after
        elif name not in _SILENT:
            self._report.lose(f"{{n}} {{change|changes}} of {name[:50]} in the history", key)

    def _links(self, issue: Issue) -> Iterator[Link]:
        if issue.parent:
            yield Link("parent", issue.parent)
        for phrase, other in issue.links:
            yield Link(self._kind(phrase, issue.key), other)

    def _kind(self, phrase: str, key: str) -> str:
        said = phrase.lower()
        for word, active, passive in _PHRASES:
            if word in said:
                return passive if said.startswith("is ") else active
        if "relate" not in said:
            self._report.change(f"{{n}} {{link|links}} '{phrase[:50]}' now {{relates|relate}}", key)
        return "relates-to"

    def _attachments(self, issue: Issue) -> Iterator[Attachment]:
        for each in issue.files:
            file = self._content(issue, each)
            if file is None:
                self._report.lose(
                    "{n} attached {file|files}, which the export does not have", f"{issue.key} {each['name']}"
                )
                continue
            yield Attachment(each["name"], each["at"], each["author"], file.size, file.pieces, each["type"])

    def _content(self, issue: Issue, file: Mapping[str, Any]) -> SourceFile | None:
        """Return the content of an attached file, which may be in a folder of its issue or of its number."""
        if not self._files:
            return None
        names = (f"{file['id']}/{file['name']}", f"{issue.key}/{file['id']}", f"{issue.key}/{file['name']}")
        return next((self._files[name] for name in names if name in self._files), None)


def description(found: Found, report: Report) -> str:
    """Return the description of a project, which is plain unless it is a document."""
    if isinstance(found.description, str):
        return found.description
    names = jira_lines.Names()
    written = documents.markdown(found.description, names)
    _tell(names.told, found.key, report)
    return written


def _tell(told: Mapping[str, int], place: str, report: Report) -> None:
    """Report what Markdown does not have of the texts of a place."""
    for kind, count in told.items():
        if kind == "unnamed":
            report.lose(_UNNAMED, place, count)
        else:
            other = f"{{n}} {{part|parts}} of texts of the kind {kind[:50]}, of which only the words stay"
            report.change(_TOLD.get(kind, other), place, count)


def _markdown(text: Text, names: jira_lines.Names) -> str:
    return jira.markdown(text, names) if isinstance(text, str) else documents.markdown(text, names)


def _undo(versions: list[str], item: Mapping[str, Any]) -> None:
    """Take back one change of fix versions."""
    if item["new"] in versions:
        versions.remove(item["new"])
    if item["old"]:
        versions.append(item["old"])
