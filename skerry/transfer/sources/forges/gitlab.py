"""Issues of GitLab from a project's export, packed or not, as GitLab has written it since version 13."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from skerry.errors import Invalid
from skerry.text.numbers import counted
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile, SourceFiles
from skerry.transfer.sources.forges.gitlab_issues import Issues
from skerry.transfer.sources.forges.gitlab_notes import CLOSED, OPEN, assigned_alone
from skerry.transfer.sources.json_items import items
from skerry.transfer.sources.records import (
    Milestone,
    Person,
    Project,
    References,
    SourceOptions,
    Ticket,
    TicketName,
)
from skerry.transfer.sources.report import Report

_ISSUES = "project/issues.ndjson"
_UPLOAD = re.compile(r"(?:.*/)?uploads/([0-9a-f]{32}/[^/]+)")
_EXPORT_NAME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d{3}_(?P<name>.+)_export(?:\.tar)?(?:\.gz)?")

# What describes the export itself, and lists that are read.
_READ = frozenset({"issues", "milestones", "project_members", "labels"})


def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:
    """Return the project of an export; what is not an issue is counted and left out."""
    found = [file for file in files if file.name.endswith(_ISSUES)]
    if len(found) != 1:
        count = counted("{n} {file|files}", len(found))
        raise Invalid(f"{files.path} has {count} tree/{_ISSUES}; exports of GitLab since version 13 have one")
    export = _Export(files, report, found[0].name.removesuffix(_ISSUES), found[0])
    return [export.project(options.name or _name(files.path))]


def _name(path: Path) -> str:
    match = _EXPORT_NAME.fullmatch(path.name)
    return (match["name"] if match else path.name.partition(".")[0]) or "GitLab"


@dataclass
class _Export:
    """The files of one export; ``root`` is the folder that they are in."""

    files: SourceFiles
    report: Report
    root: str
    issues: SourceFile
    names: dict[int, str] = field(default_factory=dict)
    users: dict[int, Fields] = field(default_factory=dict)
    usernames: dict[int, str] = field(default_factory=dict)

    def project(self, name: str) -> Project:
        """Return the project."""
        about = next(self._listed("project.json"), Fields("project.json", {}))
        for member in self._listed("project/project_members.ndjson"):
            if user := member.one("user"):
                self.users[user.number("id")] = user
                self.usernames[user.number("id")] = user.text("username", "")
        self.report.lose("{n} {role|roles} of members", count=len(self.users))
        self._tell_others()
        milestones = {each.key: each for each in map(_milestone, self._listed("project/milestones.ndjson"))}
        uploads = {match[1]: file for file in self.files if (match := _UPLOAD.fullmatch(file.name))}
        project = Project(
            key=name,
            name=name,
            names=lambda: self._names(project, issues),
            tickets=lambda: self._tickets(issues),
            origin="gitlab",
            description=about.text("description", ""),
            archived=about.truth("archived"),
            milestones=milestones,
            open_states=[OPEN],
            closed_states=[CLOSED],
            references=References(words=frozenset({name})),
        )
        issues = Issues(project, uploads, self.report)
        return project

    def _listed(self, name: str) -> Iterator[Fields]:
        """Yield the objects of a file, if there is one."""
        for file in self.files:
            if file.name == f"{self.root}{name}":
                yield from items(self.files, file)

    def _names(self, project: Project, issues: Issues) -> Iterator[TicketName]:
        """Yield the number of each issue, and collect the names of people, which only comments have."""
        for issue in items(self.files, self.issues):
            for note in issue.several("notes"):
                author, name = note.number_or_none("author_id"), note.one("author")
                if author and name:
                    self.names.setdefault(author, name.text("name", ""))
            self._learn_username(issue)
            if (milestone := issue.one("milestone")) and milestone.text("title") not in project.milestones:
                project.milestones[milestone.text("title")] = _milestone(milestone)
            number = issue.number("iid")
            yield TicketName(str(number), number)
        self._name_people(project, issues)

    def _learn_username(self, issue: Fields) -> None:
        """Learn from the last note of an assignment by which name texts mention the one who is assigned."""
        assigned = [each.number_or_none("user_id") for each in issue.several("issue_assignees")]
        names = [
            assigned_alone(note.text("note", "")) for note in issue.several("notes") if note.truth("system")
        ]
        if len(assigned) == 1 and assigned[0] and any(names):
            self.usernames.setdefault(assigned[0], next(name for name in reversed(names) if name))

    def _name_people(self, project: Project, issues: Issues) -> None:
        """Add everybody under a key of the id and the name, which is another one at another GitLab."""
        for user_id in {*self.names, *self.users, *self.usernames}:
            user, username = self.users.get(user_id, Fields("", {})), self.usernames.get(user_id, "")
            name = self.names.get(user_id) or user.text("name", "") or username or f"User {user_id}"
            person = Person(
                f"{name} {user_id}", name, user.text("public_email", "") or user.text("email", "")
            )
            project.people[person.key] = person
            issues.people[user_id] = person
            if username:
                # Texts mention people by this name.
                project.people[username] = person

    def _tickets(self, issues: Issues) -> Iterator[Ticket]:
        for issue in items(self.files, self.issues):
            yield issues.ticket(issue)
        issues.tell_unused()

    def _tell_others(self) -> None:
        """Count what is in the other files."""
        for file in self.files:
            name = file.name.removeprefix(self.root)
            stem = name.removeprefix("project/").removesuffix(".ndjson")
            if name.startswith("project/") and stem not in _READ:
                count = _lines(self.files.pieces(file))
                self.report.lose(
                    "{n} {other object|other objects} of the export", stem.replace("_", " "), count
                )
            elif name.rpartition("/")[2] == "project.bundle":
                self.report.lose("{n} {repository|repositories}, which Git moves", "project.bundle")
        for label in self._listed("project/labels.ndjson"):
            self.report.lose(
                "{n} {colour or description|colours and descriptions} of labels", label.text("title", "")
            )


def _lines(pieces: Iterable[bytes]) -> int:
    return sum(piece.count(b"\n") for piece in pieces)


def _milestone(item: Fields) -> Milestone:
    title, updated = item.text("title"), item.moment_or_none("updated_at")
    return Milestone(
        key=title,
        title=title,
        goals=item.text("description", ""),
        due_on=item.day("due_date"),
        completed_at=updated if item.text("state", "") == "closed" else None,
        created_at=item.moment_or_none("created_at"),
    )
