"""Projects from answers of Redmine's REST interface."""

from collections.abc import Iterator, Mapping
from functools import partial
from urllib.parse import urlsplit

from skerry.errors import Invalid
from skerry.text.markup import textile_libraries
from skerry.text.markup.writing import plain
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFiles, by_end
from skerry.transfer.sources.json_items import ENDINGS, items
from skerry.transfer.sources.records import Milestone, Project, References, SourceOptions, Ticket, TicketName
from skerry.transfer.sources.redmine.answers import LISTS, Answers
from skerry.transfer.sources.redmine.texts import Texts
from skerry.transfer.sources.redmine.tickets import Project as Shared
from skerry.transfer.sources.redmine.tickets import TicketMaker
from skerry.transfer.sources.report import Report

_MAX_LEVELS = 20
_ENDED = ("5", "9", "10")
_LOST = ("homepage", "parent", "default_version", "default_assignee", "custom_fields")


def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:
    """Return a project for each one that has issues in the answers."""
    answers = Answers(files.spool(), report)
    for file in files.ending(*ENDINGS):
        for item in items(files, file, LISTS, named=True):
            answers.add(item)
    if not answers.issues:
        raise Invalid(f"{files.path} has no issues as the REST interface of Redmine gives them")
    return _Reading(files, answers, report, options).projects()


class _Reading:
    def __init__(self, files: SourceFiles, answers: Answers, report: Report, options: SourceOptions) -> None:
        self._answers, self._known, self._report, self._options = answers, answers.known, report, options
        self._address = (options.address or self._known.address).rstrip("/")
        read = {file.name for file in files.ending(*ENDINGS)}
        self._files = by_end([file for file in files if file.name not in read])
        self._texts = Texts(self._markup(), self._known, self._address, report)

    def projects(self) -> list[Project]:
        """Return all projects in the order of their numbers."""
        self._tell()
        by_project: dict[str, list[int]] = {}
        for number in sorted(self._answers.issues):
            by_project.setdefault(self._answers.issues[number].project, []).append(number)
        for key in sorted(self._known.projects.keys() - by_project.keys(), key=int):
            name = self._known.projects[key].text("name", "")
            self._report.lose("{n} {project|projects} without issues in the answers", name)
        projects = [
            self._project(key, by_project[key]) for key in sorted(by_project, key=lambda key: int(key or 0))
        ]
        if len(projects) == 1 and self._options.name:
            projects[0].name = self._options.name
        projects[0].origin = urlsplit(self._address).hostname or "redmine"
        for place, project in enumerate(projects if len(projects) > 1 else (), 1):
            self._report.guess(f"--project {place} is {project.name}")
        return projects

    def _markup(self) -> str:
        said, found = self._options.markup, self._answers
        markup = said or ("markdown" if found.markdown > found.textile else "textile")
        if not said:
            self._report.guess(
                f"the texts are in {markup.capitalize()} ({found.textile} signs of Textile, "
                f"{found.markdown} of Markdown); --markup says otherwise"
            )
        if markup == "textile" and not textile_libraries.are_installed():
            raise Invalid("Texts in Textile need packages that are not installed: install skerry[import]")
        return markup

    def _tell(self) -> None:
        """Report how the answers were understood, and what they do not have."""
        report, answers = self._report, self._answers
        if self._address:
            report.guess(f"the address of Redmine is {self._address}")
        else:
            report.guess("the answers do not have the address of Redmine; say it with --address")
        missing = answers.announced - len(answers.issues)
        report.lose("{n} {issue|issues} that the answers announce and do not have", count=max(missing, 0))
        if not any(self._known.is_closed(number) for number in self._known.statuses):
            report.guess("no status closes an issue; ask for all issues with status_id=*")

    def _project(self, key: str, numbers: list[int]) -> Project:
        about = self._known.projects.get(key, Fields(f"project {key}", {}))
        name = about.text("name", "") or self._known.project_names.get(key, "") or "Redmine"
        home = about.text("identifier", "") or key
        for member in _LOST:
            if about.tree.get(member) not in (None, "", []):
                self._report.lose(f"{{n}} {{value|values}} of {member} of a project", name)
        used = self._used(numbers)
        known = self._known
        states = [number for number in known.statuses if number in used["status_id"]]
        states += sorted(used["status_id"] - known.statuses.keys())
        address = f"{self._address}/issues/{{}}" if self._address else ""
        return Project(
            key,
            name,
            lambda: (TicketName(str(number), number) for number in numbers),
            partial(self._tickets, numbers, home),
            description=self._texts.markdown(about.text("description", ""), home, name),
            created_at=about.moment_or_none("created_on"),
            archived=str(about.tree.get("status")) in _ENDED,
            people=known.people,
            milestones=self._milestones(key, used["fixed_version_id"]),
            open_states=[known.state(each) for each in states if not known.is_closed(each)] or ["new"],
            closed_states=[known.state(each) for each in states if known.is_closed(each)],
            levels=self._levels(used["priority_id"]),
            # The numbers of all projects are of one row, so none may mean another issue here later.
            last_number=max(self._answers.issues),
            references=References(ticket=address),
        )

    def _used(self, numbers: list[int]) -> Mapping[str, set[str]]:
        """Return the numbers of the values that issues have or had."""
        members = {"status": "status_id", "priority": "priority_id", "fixed_version": "fixed_version_id"}
        used = {name: set[str]() for name in members.values()}
        for number in numbers:
            for place, tree in self._answers.spool.of(str(number)):
                issue = Fields(place, tree)
                for member, name in members.items():
                    if found := issue.one(member):
                        used[name].add(str(found.number("id")))
                for journal in issue.several("journals"):
                    for detail in journal.several("details"):
                        if detail.text("name", "") in used and detail.text("property", "") == "attr":
                            values = (detail.tree.get("old_value"), detail.tree.get("new_value"))
                            used[detail.text("name")].update(str(each) for each in values if each)
        return used

    def _levels(self, used: set[str]) -> list[str]:
        """Return the names of priorities, the most important first: by their list, or else their numbers."""
        known = self._known
        order = list(known.priorities) if known.ranked else sorted(known.priorities, key=int)
        named = [known.priorities[number] for number in reversed(order) if number in used]
        return [name for name in dict.fromkeys(named) if name][:_MAX_LEVELS]

    def _milestones(self, key: str, used: set[str]) -> dict[str, Milestone]:
        found = dict[str, Milestone]()
        for number, version in self._known.versions.items():
            if version.project != key and number not in used:
                continue
            about = version.about or Fields(f"version {number}", {})
            ended = about.text("status", "") == "closed"
            if about.text("sharing", "none") != "none":
                self._report.lose("{n} {version|versions} shared with other projects by a rule", version.name)
            if about.text("wiki_page_title", ""):
                self._report.lose("{n} {page|pages} of the wiki about a version", version.name)
            for each in about.several("custom_fields"):
                if each.tree.get("value") not in (None, "", []):
                    self._report.lose(f"{{n}} {{value|values}} of {each.text('name', '')[:50]} of a version")
            found[number] = Milestone(
                number,
                version.name or f"Version {number}",
                plain(about.text("description", "")),
                about.day("due_date"),
                about.moment_or_none("updated_on") if ended else None,
                about.moment_or_none("created_on"),
            )
        return found

    def _tickets(self, numbers: list[int], home: str) -> Iterator[Ticket]:
        shared = Shared(self._known, self._texts, home, self._files)
        for number in numbers:
            found = [Fields(place, tree) for place, tree in self._answers.spool.of(str(number))]
            yield TicketMaker(_merged(found), shared).ticket()


def _merged(found: list[Fields]) -> Fields:
    """Return all that the answers say about an issue; a list knows less than an answer about it alone."""

    def newest(each: Fields) -> tuple[int, bool]:
        return each.moment_or_none("updated_on") or 0, each.has("journals")

    whole: dict[str, object] = {}
    place = ""
    for each in sorted(found, key=newest):
        whole.update(each.tree)
        place = each.place
    return Fields(place, whole)
