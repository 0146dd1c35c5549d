"""Issues of Redmine as tickets: their values, files, links and texts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile
from skerry.transfer.sources.records import Attachment, Link, Ticket, Values
from skerry.transfer.sources.redmine.history import History
from skerry.transfer.sources.redmine.known import Known
from skerry.transfer.sources.redmine.texts import Texts

_KINDS: Mapping[str, tuple[str, str]] = {
    "relates": ("relates-to", "relates-to"),
    "duplicates": ("duplicates", "duplicated-by"),
    "duplicated": ("duplicated-by", "duplicates"),
    "blocks": ("blocks", "blocked-by"),
    "blocked": ("blocked-by", "blocks"),
}
_KEPT = frozenset(
    (
        *("id", "project", "tracker", "status", "priority", "author", "assigned_to", "category"),
        *("fixed_version", "parent", "subject", "description", "start_date", "due_date", "done_ratio"),
        *("is_private", "custom_fields", "created_on", "updated_on", "closed_on", "children"),
        *("attachments", "relations", "journals", "watchers", "allowed_statuses"),
    )
)
_HOURS = ("estimated_hours", "total_estimated_hours", "spent_hours", "total_spent_hours")
_COUNTED = {"changesets": "{n} linked {commit|commits}", "reactions": "{n} {reaction|reactions}"}
_UNSAID: tuple[Any, ...] = (None, "", [], {}, 0, False)
_DONE = 100


@dataclass(frozen=True)
class Project:
    """What the tickets of a project share; ``home`` is what Redmine calls it."""

    known: Known
    texts: Texts
    home: str
    files: Mapping[str, SourceFile]


class TicketMaker:
    """Makes one ticket of an issue."""

    def __init__(self, issue: Fields, project: Project) -> None:
        self._issue, self._project = issue, project
        self._known, self._report = project.known, project.texts.report
        self._number = str(issue.number("id"))
        self._key = f"#{self._number}"
        self._attached = [(each, self._file(each)) for each in issue.several("attachments")]
        self._there = {each.text("filename", "") for each, file in self._attached if file}

    def ticket(self) -> Ticket:
        """Return the ticket."""
        issue = self._issue
        if not issue.has("journals"):
            self._report.lose("{n} {issue|issues} of which the answers have no history", self._key)
        history = History(self._known, self._report, self._key, self._markdown)
        self._count_lost()
        return Ticket(
            self._number,
            self._values(),
            self._known.person(issue.one("author")),
            issue.moment("created_on"),
            self._body(),
            issue.moment_or_none("updated_on"),
            list(history.changes(issue)),
            list(self._attachments()),
            list(self._links()),
            [self._known.person(each) for each in issue.several("watchers")],
            issue.truth("is_private"),
        )

    def _markdown(self, text: str) -> str:
        return self._project.texts.markdown(text, self._project.home, self._key, self._address)

    def _address(self, name: str) -> str:
        return f"attachment:{name}" if name in self._there else ""

    def _values(self) -> Values:
        issue, known = self._issue, self._known
        priority = known.priorities.get(known.name(known.priorities, issue.one("priority")), "")
        tracker = known.trackers.get(known.name(known.trackers, issue.one("tracker")), "")
        category = known.categories.get(known.name(known.categories, issue.one("category")), "")
        self._report.change(
            "{n} {tracker or category is a tag|trackers and categories are tags}",
            tracker or category,
            bool(tracker) + bool(category),
        )
        return Values(
            issue.text("subject", ""),
            known.state(known.status(issue.one("status"))),
            frozenset({tracker, category} - {""}),
            known.person(issue.one("assigned_to")),
            known.version(issue.one("fixed_version")),
            priority,
            issue.day("due_date"),
        )

    def _body(self) -> str:
        """Return the description, followed by the values that have no field here."""
        issue, known = self._issue, self._known
        lines = list[str]()
        if start := issue.day("start_date"):
            lines.append(self._line("Start", start))
        done = issue.number_or_none("done_ratio") or 0
        ended = known.is_closed(known.status(issue.one("status")))
        if done and not (ended and done == _DONE):
            lines.append(self._line("Done", f"{done} %"))
        for each in issue.several("custom_fields"):
            custom, value = known.custom_field(each), each.tree.get("value")
            values = value if isinstance(value, list) else [value]
            said = [known.shown(custom, str(one)) for one in values if one not in (None, "")]
            if said:
                lines.append(self._line(custom.name, ", ".join(said)))
        return "\n\n".join(part for part in (self._markdown(issue.text("description", "")), *lines) if part)

    def _line(self, name: str, value: str) -> str:
        called = name[:50].replace("{", "(").replace("}", ")")
        sentence = f"{{n}} {{value|values}} of {called} {{is|are}} at the end of the first text"
        self._report.change(sentence, self._key)
        words = self._markdown(value)
        between = "\n\n" if "\n" in words else " "
        return f"**{self._markdown(name)}:**{between}{words}"

    def _attachments(self) -> Iterator[Attachment]:
        for each, file in self._attached:
            name = each.text("filename", "") or f"file-{each.number('id')}"
            place = f"{self._key} {name}"
            if file is None:
                self._report.lose("{n} attached {file|files}, which the export does not have", place)
                continue
            if each.text("description", ""):
                self._report.lose("{n} {description|descriptions} of attached files", place)
            if (each.number_or_none("filesize") or file.size) != file.size:
                sentence = "{n} {file has|files have} another size than the answers say"
                self._report.change(sentence, place)
            yield Attachment(
                name,
                each.moment_or_none("created_on") or self._issue.moment("created_on"),
                self._known.person(each.one("author")),
                file.size,
                file.pieces,
                each.text("content_type", ""),
            )

    def _file(self, attachment: Fields) -> SourceFile | None:
        """Return the content of an attached file, in a folder of its number or of its issue."""
        number, name = attachment.number("id"), attachment.text("filename", "")
        names = [f"{folder}/{each}" for folder in (number, self._number) for each in (name, quote(name))]
        files = self._project.files
        return next((files[each] for each in (*names, f"{self._number}/{number}") if each in files), None)

    def _links(self) -> Iterator[Link]:
        issue = self._issue
        if parent := issue.one("parent"):
            yield Link("parent", str(parent.number("id")))
        for child in issue.several("children"):
            yield Link("child", str(child.number("id")))
        for relation in issue.several("relations"):
            first, second = (str(relation.number(name)) for name in ("issue_id", "issue_to_id"))
            kind = relation.text("relation_type", "")
            if kind not in _KINDS:
                sentence = f"{{n}} {{link|links}} '{kind[:50]}' now {{relates|relate}}"
                self._report.change(sentence, f"#{first} #{second}")
            is_first = first == self._number
            if is_first and relation.tree.get("delay") not in _UNSAID:
                self._report.lose("{n} {delay|delays} of links in days", f"#{first} #{second}")
            pair = _KINDS.get(kind, _KINDS["relates"])
            yield Link(pair[0 if is_first else 1], second if is_first else first)

    def _count_lost(self) -> None:
        """Count what a ticket has no place for."""
        tree = self._issue.tree
        hours = any(tree.get(name) not in _UNSAID for name in _HOURS)
        self._report.lose("{n} {issue|issues} with estimated or spent time", self._key, hours)
        for name, words in _COUNTED.items():
            self._report.lose(words, self._key, len(self._issue.list(name)))
        told = (*_HOURS, *_COUNTED, *_KEPT)
        for name, value in tree.items():
            if name not in told and value not in _UNSAID:
                called = name[:50].replace("{", "(").replace("}", ")")
                self._report.lose(f"{{n}} {{value|values}} of {called}", self._key)
