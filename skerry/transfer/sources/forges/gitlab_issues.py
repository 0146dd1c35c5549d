"""An issue of a GitLab export as a ticket: its comments, its events, and what its system notes say."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from skerry.database.transactions import SECOND
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile
from skerry.transfer.sources.forges.gitlab_notes import CLOSED, OPEN, History
from skerry.transfer.sources.records import Attachment, Change, Edit, Person, Project, Ticket, Values
from skerry.transfer.sources.report import Report

_STATES: Mapping[str, str] = {"opened": OPEN, "reopened": OPEN, "closed": CLOSED}
_FILE = re.compile(r"\]\(/uploads/(?P<path>[0-9a-f]{32}/(?P<name>[^)\s/]{1,255}))(?P<title>[^)\n]{0,200})\)")
# These only say again what the issue itself, its events or another text says.
_REPEATED = frozenset({"cross_reference", "description", "label", "commit", "task", "branch", "merge"})

_USED = frozenset(
    {
        *(
            "id",
            "iid",
            "title",
            "author_id",
            "project_id",
            "created_at",
            "updated_at",
            "description",
            "state",
        ),
        *("due_date", "issue_assignees", "milestone", "label_links", "notes", "closed_at", "confidential"),
        *("resource_label_events", "resource_milestone_events", "resource_state_events", "award_emoji"),
        *("discussion_locked", "work_item_description", "work_item_type", "issue_type", "closed_by_id"),
        # What only says how the row is stored.
        *(
            "updated_by_id",
            "position",
            "relative_position",
            "lock_version",
            "last_edited_at",
            "last_edited_by_id",
        ),
        *("branch_name", "state_id", "namespace_id", "work_item_type_id", "title_html", "description_html"),
        *("cached_markdown_version", "milestone_id", "external_author", "imported_from", "events"),
    }
)


@dataclass
class Issues:
    """Makes tickets of issues; ``uploads`` are the files of the export by hash and name, ``people`` by id."""

    project: Project
    uploads: Mapping[str, SourceFile]
    report: Report
    people: dict[int, Person] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def ticket(self, issue: Fields) -> Ticket:
        """Return the ticket of an issue."""
        return _Issue(self, issue).ticket()

    def person(self, user_id: int | None) -> str:
        """Return the key of a person; somebody without a name is told apart by the project."""
        if not user_id:
            return ""
        known = self.people.get(user_id)
        if known is None:
            known = Person(f"User {user_id} of {self.project.name}", f"User {user_id}")
            self.people[user_id] = self.project.people[known.key] = known
        return known.key

    def tell_unused(self) -> None:
        """Count the files that no issue names."""
        for path in sorted(self.uploads.keys() - self.used):
            self.report.lose("{n} {file|files} that no issue names", path.partition("/")[2])


class _Issue:
    """One issue with the values that its history leads to."""

    def __init__(self, issues: Issues, issue: Fields) -> None:
        self._issues, self._issue, self._report = issues, issue, issues.report
        self._key = str(issue.number("iid"))
        self._place = f"#{self._key}"
        self._changes = list[Change]()
        self._files = list[Attachment]()

    def ticket(self) -> Ticket:
        """Return the ticket."""
        issue = self._issue
        author, created = self._by(issue, "author_id"), issue.moment("created_at")
        described = issue.one("work_item_description")
        text = issue.text("description", "") or (described.text("description", "") if described else "")
        body = self._with_files(text, author, created)
        people = dict.fromkeys(self._by(each, "user_id") for each in issue.several("issue_assignees"))
        assignee, *others = [*people] or [""]
        for other in others:
            sentence = "{n} other {assignee watches|assignees watch} now, because a ticket has one"
            self._report.change(sentence, f"{self._place}: {other}")
        history = History(list(people), self._mentioned)
        self._read(history)
        self._tell()
        milestone, state = issue.one("milestone"), _STATES.get(issue.text("state"), OPEN)
        closed_at = issue.moment_or_none("closed_at")
        if state == CLOSED and history.state == OPEN and closed_at:
            edits = {"state": Edit(OPEN, CLOSED)}
            self._changes.append(Change(self._by(issue, "closed_by_id"), closed_at, edits=edits))
        return Ticket(
            key=self._key,
            values=Values(
                title=issue.text("title"),
                state=state,
                tags=self._tags(),
                assignee=assignee,
                milestone=milestone.text("title") if milestone else "",
                due_on=issue.day("due_date"),
            ),
            author=author,
            created_at=created,
            body=body,
            updated_at=issue.moment_or_none("updated_at"),
            changes=self._changes,
            attachments=self._files,
            links=list(history.links),
            watchers=[author, *people, *(change.author for change in self._changes if change.body)],
            private=issue.truth("confidential"),
        )

    def _by(self, item: Fields, name: str) -> str:
        return self._issues.person(item.number_or_none(name))

    def _tags(self) -> frozenset[str]:
        labels = (link.one("label") for link in self._issue.several("label_links"))
        names = {label.text("title", "") for label in labels if label}
        kind = self._issue.one("work_item_type")
        said = (kind.text("base_type", "") if kind else "") or self._issue.text("issue_type", "")
        if said and said != "issue":
            self._report.change("{n} {type of an issue is a tag|types of issues are tags} now", self._place)
            names.add(said.replace("_", " "))
        return frozenset(names - {""})

    def _read(self, history: History) -> None:
        """Read comments, events and system notes in the order of their moments."""
        events = [("note", each) for each in self._issue.several("notes")]
        for kind in ("label", "milestone", "state"):
            events += [(kind, each) for each in self._issue.several(f"resource_{kind}_events")]
        for kind, each in sorted(events, key=lambda event: event[1].moment("created_at")):
            at = each.moment("created_at")
            if kind == "note" and not each.truth("system"):
                self._comment(each, at)
            elif kind == "note":
                self._system_note(each, Change(self._by(each, "author_id"), at), history)
            else:
                self._event(kind, each, Change(self._by(each, "user_id"), at), history)

    def _comment(self, note: Fields, at: int) -> None:
        if note.truth("confidential") or note.truth("internal"):
            self._report.lose(
                "{n} internal {comment|comments}, which only some people could read", self._place
            )
            return
        author = self._by(note, "author_id")
        self._changes.append(Change(author, at, self._with_files(note.text("note", ""), author, at)))
        self._report.lose("{n} {reaction|reactions}", self._place, len(note.list("award_emoji")))
        # The first text has a moment, too.
        if (note.moment_or_none("last_edited_at") or at) > at + SECOND:
            self._report.change("{n} {comment was|comments were} edited; the last text is kept", self._place)

    def _event(self, kind: str, event: Fields, change: Change, history: History) -> None:
        held, added = event.one(kind) if kind != "state" else None, event.text("action", "") == "add"
        title = held.text("title") if held else ""
        if kind == "state":
            history.set_state(change, _STATES.get(event.text("state", ""), history.state))
            # A commit that closed an issue is the comment on it.
            change.body = event.text("source_commit", "")
        elif kind == "milestone":
            history.set_milestone(change, title if added else "", "" if added else title)
        elif added:
            change.tagged = frozenset({title} - {""})
        else:
            change.untagged = frozenset({title} - {""})
        self._keep(change)

    def _keep(self, change: Change) -> None:
        if change.edits or change.tagged or change.untagged or change.body:
            self._changes.append(change)

    def _system_note(self, note: Fields, change: Change, history: History) -> None:
        """Read what GitLab itself has written, or count it."""
        text = note.text("note", "").strip()
        metadata = note.one("system_note_metadata")
        action = metadata.text("action", "") if metadata else ""
        known = history.note(text, change) or action in _REPEATED or text.startswith("mentioned in")
        self._report.lose("{n} system {note|notes} of other kinds", action or text[:40], not known)
        self._keep(change)

    def _mentioned(self, name: str) -> str:
        """Return the key of a person by their name in mentions."""
        people = self._issues.project.people
        if name not in people:
            person = Person(f"{name} of {self._issues.project.name}", name)
            people[name] = people[person.key] = person
        return people[name].key

    def _with_files(self, text: str, author: str, at: int) -> str:
        """Return a text that names its files as attachments, which are added."""
        taken = set[str]()

        def replacement(match: re.Match[str]) -> str:
            file = self._issues.uploads.get(match["path"])
            if file is None:
                self._report.lose(
                    "{n} {file is|files are} named, but not in the export", f"{self._place}: {match['name']}"
                )
                return match[0]
            name = match["name"]
            while name in taken:
                name = f"2-{name}"
            taken.add(name)
            self._issues.used.add(match["path"])
            self._files.append(Attachment(name, at, author, file.size, partial(_pieces, file)))
            return f"](attachment:{name}{match['title']})"

        return _FILE.sub(replacement, text)

    def _tell(self) -> None:
        """Count what an issue has and a ticket has not."""
        issue = self._issue
        self._report.lose("{n} {reaction|reactions}", self._place, len(issue.list("award_emoji")))
        if issue.truth("discussion_locked"):
            self._report.lose("{n} {lock|locks} against comments", self._place)
        for name, value in issue.tree.items():
            if value and name not in _USED:
                self._report.lose("{n} {value|values} of other fields", name.replace("_", " "))


def _pieces(file: SourceFile) -> Iterator[bytes]:
    return file.pieces()
