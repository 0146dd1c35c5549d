"""Projects from exports of Jira."""

import re
from collections.abc import Iterator
from functools import partial

from skerry.errors import Invalid
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.files import SourceFile, SourceFiles, by_end
from skerry.transfer.sources.jira import rows
from skerry.transfer.sources.jira.answers import Answers
from skerry.transfer.sources.jira.issues import Found, Issue, read_key
from skerry.transfer.sources.jira.lines import flat_issue
from skerry.transfer.sources.jira.tickets import Tickets, description
from skerry.transfer.sources.json_items import ENDINGS, items
from skerry.transfer.sources.records import Project, References, SourceOptions, Ticket, TicketName
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.spool import Spool

_RANKS = (
    *("blocker", "highest", "critical", "urgent", "major", "high", "medium", "normal", "minor", "low"),
    *("lowest", "trivial"),
)
_NO_PRIORITIES = frozenset(("none", "unprioritized", "undefined"))
_MAX_LEVELS = 20
# The address of a comment names its issue.
_COMMENT = re.compile(r"/issue/([^/]+)/comment/")


def read(files: SourceFiles, report: Report, options: SourceOptions) -> list[Project]:
    """Return the projects of all issues in answers of Jira's search, single issues, or one table."""
    return _Reading(files, report, options).projects()


class _Reading:
    def __init__(self, files: SourceFiles, report: Report, options: SourceOptions) -> None:
        self._files, self._report, self._options = files, report, options
        self._found: dict[str, Found] = {}
        self._spool: Spool = files.spool()
        self._answers = Answers(self._project, report)
        self._comments, self._ids = files.spool(), set[str]()
        self._announced, self._tokens, self._ends = 0, 0, 0

    def projects(self) -> list[Project]:
        """Read all issues, and return their projects."""
        tables = self._files.ending(".csv", ".tsv")
        documents = self._files.ending(*ENDINGS)
        for file in documents:
            for found, issue in self._issues(file):
                self._keep(found, issue)
        for file in tables:
            for found, issue in rows.issues(self._files, file, self._options, self._project, self._report):
                self._keep(found, issue)
        self._found = {key: found for key, found in self._found.items() if found.keys}
        if not self._found:
            raise Invalid(f"{self._files.path} has no issues of Jira: neither JSON of its search nor its CSV")
        self._tell_missing()
        read = {file.name for file in (*documents, *tables)}
        others = by_end([file for file in self._files if file.name not in read])
        used = [self._made(self._found[key], others) for key in sorted(self._found)]
        origin = next((found.origin for found in self._found.values() if found.origin), "jira")
        used[0].origin = origin
        return used

    def _tell_missing(self) -> None:
        """Report that pages are missing, so far as the others tell."""
        missing = self._announced - sum(len(found.keys) for found in self._found.values())
        self._report.lose(
            "{n} {issue|issues} that the answers announce and do not have", count=max(missing, 0)
        )
        for issue_id in sorted(self._comments.keys() - self._ids):
            sentence = "{n} {comment|comments} of issues that the export does not have"
            self._report.lose(sentence, issue_id, self._comments.count(issue_id))
        if self._tokens and not self._ends:
            self._report.lose("the pages after the last one, which is not the end of the search")

    def _project(self, key: str) -> Found:
        return self._found.setdefault(key, Found(key))

    def _issues(self, file: SourceFile) -> Iterator[tuple[Found, Issue]]:
        for item in items(self._files, file, ("issues",), named=True):
            listed = item.tree.get("issues")
            if listed == []:
                self._announced = max(self._announced, item.number_or_none("total") or 0)
                self._tokens += bool(item.tree.get("nextPageToken"))
                self._ends += not item.tree.get("nextPageToken")
                continue
            fields = Fields(item.place, listed) if isinstance(listed, dict) else item
            if fields.has("key", "fields"):
                read = self._answers.issue(fields)
            elif fields.has("key", "title"):
                read = flat_issue(fields, self._project, self._report)
            else:
                read = None
                self._other(fields)
            if read:
                yield read

    def _other(self, fields: Fields) -> None:
        if fields.has("key", "name") and self._answers.is_project(fields):
            return
        if fields.has("comments"):
            for comment in fields.several("comments"):
                named = _COMMENT.search(comment.text("self", ""))
                self._comments.put(named[1] if named else "?", [comment.place, comment.tree])
            return
        self._report.lose(
            "{n} {object|objects} that {is|are} neither {an issue|issues} nor {a project|projects}",
            fields.place,
        )

    def _keep(self, found: Found, issue: Issue) -> None:
        if issue.key in found.keys:
            self._report.lose("{n} {issue that is|issues that are} in the export twice", issue.key)
            return
        found.note_all(issue)
        self._ids.add(issue.id)
        self._spool.put(found.key, vars(issue))

    def _made(self, found: Found, others: dict[str, SourceFile]) -> Project:
        levels = _levels(found)
        closed = [*found.resolutions, *(name for name, done in found.statuses.items() if done)]
        if found.resolutions:
            self._report.guess(f"{found.key}: closed issues have their resolutions as states")
        return Project(
            found.key,
            (self._options.name if len(self._found) == 1 else "") or found.name or found.key,
            partial(_names, found),
            partial(self._tickets, found, others),
            description=description(found, self._report),
            created_at=found.created_at,
            people=found.people,
            milestones=found.milestones,
            open_states=[name for name, done in found.statuses.items() if not done],
            closed_states=list(dict.fromkeys(closed)),
            levels=levels,
            references=References(ticket=f"{found.address}/browse/{{}}" if found.address else ""),
        )

    def _tickets(self, found: Found, others: dict[str, SourceFile]) -> Iterator[Ticket]:
        found.priorities = dict.fromkeys(_levels(found), 0)
        tickets = Tickets(found, others, self._report)
        for kept in self._spool.of(found.key):
            issue = Issue(**kept)
            apart = (Fields(*each) for each in self._comments.of(issue.id))
            self._answers.add_comments(found, issue, apart)
            sentence = "{n} {comment|comments} that the export announces and does not have"
            self._report.lose(sentence, issue.key, max(issue.missing, 0))
            yield tickets.ticket(issue)


def _names(found: Found) -> Iterator[TicketName]:
    for key in found.keys:
        named = read_key(key)
        yield TicketName(key, named.number if named else None)


def _levels(found: Found) -> list[str]:
    """Return the names of priorities, the most important first, by known names or else by their ids."""
    named = [name for name in found.priorities if name.lower() not in _NO_PRIORITIES]
    ranks = {name: at for at, name in enumerate(_RANKS)}
    known = all(name.lower() in ranks for name in named)
    order = (lambda name: ranks[name.lower()]) if known else found.priorities.__getitem__
    return sorted(named, key=order)[:_MAX_LEVELS]
