"""Issues of GitHub from the answers of its interface, or from the archive of an account's data.

Files are known by what they contain, so they may have any names: issues, comments, events or timelines,
milestones, labels, repositories and people, as lists, as pages one after the other, or as an object a line.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from skerry.errors import Invalid
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile, SourceFiles
from skerry.transfer.sources.forges import github_files, github_history
from skerry.transfer.sources.forges.github_history import CLOSED_STATES, OPEN, login
from skerry.transfer.sources.forges.github_shapes import Shapes
from skerry.transfer.sources.json_items import is_json, items
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
from skerry.transfer.sources.spool import Spool

_REPOSITORY = re.compile(
    r"(https?://[^/\s]+)(?:/api/v3)?(?:/repos)?/([\w.-]+/[\w.-]+)(?:/(?:issues|pull)/(\d+))?"
)
_NUMBER_IN_NAME = re.compile(r"(?<!\d)(\d{1,15})(?!\d)")
_API = "https://api.github.com"


def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:
    """Return a project for each repository that has issues; pull requests are counted and left out."""
    found, shapes = _Answers(files.spool(), report), Shapes(report)
    # Issues of archives name milestones by their addresses.
    for file in sorted(files, key=lambda each: "milestones" not in each.name):
        if not is_json(file):
            found.others[github_files.below_top(file.name)] = file
            continue
        for item in items(files, file, ("items",)):
            for answer in shapes.answers(item):
                found.add(file, answer)
    projects = [found.project(name) for name in sorted(found.repositories) if found.repositories[name].issues]
    if not projects:
        raise Invalid(f"{files.path} has no issues as the interface or the archives of GitHub give them")
    if len(projects) == 1 and options.name:
        projects[0].name = options.name
    found.tell_strays()
    return projects


@dataclass
class _Repository:
    """What the answers say about one repository; ``issues`` are the numbers of its issues."""

    address: str
    issues: set[str] = field(default_factory=set)
    merges: set[str] = field(default_factory=set)
    milestones: dict[str, Milestone] = field(default_factory=dict)
    about: Fields | None = None


class _Answers:
    """All answers, sorted by repository and issue."""

    def __init__(self, spool: Spool, report: Report) -> None:
        self.repositories: dict[str, _Repository] = {}
        self._spool, self._report = spool, report
        self._people: dict[str, Person] = {}
        self.others: dict[str, SourceFile] = {}
        self._attached = set[str]()

    def add(self, file: SourceFile, item: Fields) -> None:
        """Take an object by what it contains."""
        if item.has("event"):
            self._add_event(file, item)
            return
        for marks, add in self._kinds.items():
            if item.has(*marks):
                add(item)
                return
        self._report.lose("{n} {answer|answers} of other kinds", item.place)

    @property
    def _kinds(self) -> Mapping[tuple[str, ...], Callable[[Fields], None]]:
        """Return the kinds of objects by the members that only they have, in this order."""
        return {
            github_files.MARKS: self._add_file,
            ("pull_request_url", "diff_hunk"): self._lose_review,
            ("pull_request_url", "submitted_at"): self._lose_review,
            ("issue_url", "body"): self._add_comment,
            ("head", "base", "number"): self._add_merge,
            ("title", "number", "open_issues"): self._add_milestone,
            ("title", "number", "state"): self._add_issue,
            ("full_name", "owner"): self._add_repository,
            ("name", "color"): self._lose_label,
            ("login",): self._add_person,
        }

    def _of(self, address: str, place: str) -> tuple[str, _Repository, str]:
        """Return the repository of an address with its name, and the number of the issue, if any."""
        match = _REPOSITORY.match(address)
        if not match:
            raise Invalid(f"{place}: {address[:200]} is no address of a repository")
        host, name, number = match.groups()
        shown = "https://github.com" if host == _API else host
        repository = self.repositories.setdefault(name, _Repository(f"{shown}/{name}"))
        return name, repository, number or ""

    def _named_in(self, item: Fields) -> tuple[str, _Repository, str]:
        return self._of(item.text("url", "") or item.text("html_url"), item.place)

    def _add_issue(self, item: Fields) -> None:
        name, repository, _ = self._named_in(item)
        number = str(item.number("number"))
        if item.tree.get("pull_request") is not None:
            repository.merges.add(number)
            return
        repository.issues.add(number)
        if milestone := item.one("milestone"):
            self._add_milestone(milestone, repository)
        self._keep("issue", name, number, item)

    def _add_merge(self, item: Fields) -> None:
        _, repository, _ = self._named_in(item)
        repository.merges.add(str(item.number("number")))

    def _add_comment(self, item: Fields) -> None:
        name, _, number = self._of(item.text("issue_url"), item.place)
        self._keep("comment", name, number, item)

    def _add_file(self, item: Fields) -> None:
        name, _, number = self._of(item.text("issue_url"), item.place)
        self._attached.add(github_files.place_of(item))
        self._keep("file", name, number, item)

    def _add_event(self, file: SourceFile, item: Fields) -> None:
        """Take an event; those of a single issue say which one only by the name of their file."""
        issue = item.one("issue")
        said = issue.text("url", "") if issue else item.text("issue_url", "")
        name, _, number = self._of(said or item.text("url", "") or item.text("html_url", _API), item.place)
        if not number:
            in_name = _NUMBER_IN_NAME.findall(file.name)
            number = in_name[-1] if in_name else ""
        if not number:
            self._report.lose("{n} {event|events} that do not say their issue", item.place)
        else:
            tree = {key: value for key, value in item.tree.items() if key != "issue"}
            self._keep("event", name, number, Fields(item.place, tree))

    def _keep(self, kind: str, name: str, number: str, item: Fields) -> None:
        self._spool.put(f"{kind} {name}#{number}", (item.place, item.tree))

    def _add_milestone(self, item: Fields, repository: _Repository | None = None) -> None:
        repository = repository or self._named_in(item)[1]
        title = item.text("title")
        repository.milestones[title] = Milestone(
            key=title,
            title=title,
            goals=item.text("description", ""),
            due_on=item.day("due_on"),
            completed_at=item.moment_or_none("closed_at"),
            created_at=item.moment_or_none("created_at"),
            author=login(item.one("creator")),
        )

    def _add_repository(self, item: Fields) -> None:
        _, repository, _ = self._of(f"{_API}/repos/{item.text('full_name')}", item.place)
        repository.address = item.text("html_url", repository.address)
        repository.about = item

    def _add_person(self, item: Fields) -> None:
        key = item.text("login")
        self._people[key] = Person(key, item.text("name", "") or key, item.text("email", ""))

    def _lose_review(self, _item: Fields) -> None:
        self._report.lose("{n} {review|reviews} of pull requests and comments on their lines")

    def _lose_label(self, item: Fields) -> None:
        self._report.lose("{n} {colour or description|colours and descriptions} of labels", item.text("name"))

    def project(self, name: str) -> Project:
        """Return the project of a repository."""
        repository = self.repositories[name]
        about = repository.about or Fields(name, {})
        host = repository.address.split("/")[2]
        numbers = sorted(repository.issues, key=int)
        merges = repository.merges - repository.issues
        self._tell_merges(name, merges)
        return Project(
            key=name,
            name=name.partition("/")[2],
            names=lambda: (TicketName(number, int(number)) for number in numbers),
            tickets=partial(self._tickets, name, numbers),
            origin="github" if host == "github.com" else f"github-{host}",
            description=about.text("description", ""),
            created_at=about.moment_or_none("created_at"),
            archived=about.truth("archived"),
            people=self._people,
            milestones=repository.milestones,
            open_states=[OPEN],
            closed_states=list(CLOSED_STATES),
            last_number=max(map(int, (*numbers, *merges))),
            references=References(
                ticket=f"{repository.address}/issues/{{}}",
                merge=f"{repository.address}/pull/{{}}",
                commit=f"{repository.address}/commit/{{}}",
                words=frozenset({name, name.partition("/")[2], "GH"}),
                merges=frozenset(merges),
            ),
        )

    def _tell_merges(self, name: str, merges: set[str]) -> None:
        for number in sorted(merges, key=int):
            self._report.lose("{n} {pull request|pull requests}", f"#{number}")
            comments = self._spool.count(f"comment {name}#{number}")
            self._report.lose("{n} {comment|comments} on pull requests", count=comments)
            files = self._spool.count(f"file {name}#{number}")
            self._report.lose("{n} {file|files} of pull requests", f"#{number}", files)

    def _tickets(self, name: str, numbers: list[str]) -> Iterator[Ticket]:
        for number in numbers:
            issues = self._of_kind("issue", name, number)
            # Pages that were read while somebody worked may have an issue twice.
            issue = max(issues, key=lambda each: each.moment_or_none("updated_at") or 0)
            comments = self._of_kind("comment", name, number)
            events = self._of_kind("event", name, number)
            ticket = github_history.ticket(issue, comments, events, self._report)
            github_files.attach(ticket, self._of_kind("file", name, number), self.others, self._report)
            yield ticket

    def _of_kind(self, kind: str, name: str, number: str) -> list[Fields]:
        return [Fields(place, tree) for place, tree in self._spool.of(f"{kind} {name}#{number}")]

    def tell_strays(self) -> None:
        """Count comments and events of issues that are not in the answers, and files without answers."""
        for place in sorted(self.others.keys() - self._attached):
            self._report.lose("{n} {file|files} without answers", place)
        known = {
            f"{kind} {name}#{number}"
            for name, each in self.repositories.items()
            for number in each.issues | each.merges
            for kind in ("issue", "comment", "event", "file")
        }
        for key in sorted(self._spool.keys() - known):
            kind, _, where = key.partition(" ")
            said = "{n} {KIND|KINDs} of issues that are not in the export".replace("KIND", kind)
            self._report.lose(said, where, self._spool.count(key))
