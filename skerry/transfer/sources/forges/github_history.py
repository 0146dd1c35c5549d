"""An issue of GitHub with its comments and events as a ticket."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.records import Change, Edit, Link, Ticket, Values
from skerry.transfer.sources.report import Report

OPEN, CLOSED = "open", "closed"

_REASONS: Mapping[str, str] = {"not_planned": "not-planned", "duplicate": "duplicate"}

CLOSED_STATES = (CLOSED, *_REASONS.values())
"""The states of closed issues, by the reason of closing."""

GHOST = "ghost"
"""Whoever wrote something and has deleted their account."""

# What everybody does, and what says only what another event or a text says.
_SILENT = frozenset({"commented", "subscribed", "unsubscribed", "mentioned", "cross-referenced"})


def login(user: Fields | None) -> str:
    """Return the key of a person."""
    return user.text("login", GHOST) if user else GHOST


def ticket(issue: Fields, comments: list[Fields], events: list[Fields], report: Report) -> Ticket:
    """Return the ticket of an issue."""
    history = _History(report, str(issue.number("number")))
    # Timelines have the comments, too.
    timeline = [event for event in events if event.text("event") == "commented"]
    for comment in _each_once([*comments, *timeline]):
        history.comment(comment)
    for event in sorted(_each_once(events), key=lambda each: each.moment_or_none("created_at") or 0):
        history.event(event)
    return _ticket(issue, history, report)


def _each_once(items: Iterable[Fields]) -> Iterable[Fields]:
    """Return objects by their ids; those without one stay."""
    found: dict[object, Fields] = {}
    for item in items:
        key = item.tree.get("id")
        found[key if isinstance(key, int | str) else item.place] = item
    return found.values()


def _ticket(issue: Fields, history: "_History", report: Report) -> Ticket:
    author, created = login(issue.one("user")), issue.moment("created_at")
    people = [login(each) for each in issue.several("assignees")] or (
        [login(issue.one("assignee"))] if issue.one("assignee") else []
    )
    assignee = history.assignee if history.assignee in people else next(iter(people), "")
    others = [each for each in people if each != assignee]
    if others:
        sentence = "{n} other {assignee watches|assignees watch} now, because a ticket has one"
        report.change(sentence, f"#{history.key}: {', '.join(others)}", len(others))
    is_closed = issue.text("state") == CLOSED
    state = _REASONS.get(issue.text("state_reason", ""), CLOSED) if is_closed else OPEN
    if is_closed and history.state == OPEN and (closed := issue.moment_or_none("closed_at")):
        history.changes.append(
            Change(login(issue.one("closed_by")), closed, edits={"state": Edit(OPEN, state)})
        )
    milestone = issue.one("milestone")
    _tell(issue, report, history.key)
    return Ticket(
        key=history.key,
        values=Values(
            title=issue.text("title", ""),
            state=state,
            tags=_tags(issue, report, history.key),
            assignee=assignee,
            milestone=milestone.text("title") if milestone else "",
        ),
        author=author,
        created_at=created,
        body=issue.text("body", ""),
        updated_at=issue.moment_or_none("updated_at"),
        changes=history.changes,
        links=_links(issue),
        watchers=[author, *people, *history.authors],
    )


def _tags(issue: Fields, report: Report, key: str) -> frozenset[str]:
    labels = issue.list("labels")
    # Old answers have labels as texts.
    names = {each for each in labels if isinstance(each, str)}
    if len(names) < len(labels):
        names |= {label.text("name", "") for label in issue.several("labels")}
    if kind := issue.one("type"):
        report.change("{n} {type of an issue is a tag|types of issues are tags} now", f"#{key}")
        names.add(kind.text("name", ""))
    return frozenset(names - {""})


def _links(issue: Fields) -> list[Link]:
    parent = issue.text("parent_issue_url", "").rpartition("/")[2]
    return [Link("parent", parent)] if parent.isdigit() else []


def _tell(issue: Fields, report: Report, key: str) -> None:
    """Count what an issue has and a ticket has not."""
    reactions = issue.one("reactions")
    report.lose(
        "{n} {reaction|reactions}", f"#{key}", (reactions and reactions.number_or_none("total_count")) or 0
    )
    if issue.truth("locked"):
        report.lose("{n} {lock|locks} against comments", f"#{key}")


@dataclass
class _History:
    """The changes of an issue, and the values that they lead to."""

    report: Report
    key: str
    changes: list[Change] = field(default_factory=list)
    state: str = OPEN
    milestone: str = ""
    assignees: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)

    @property
    def assignee(self) -> str:
        """Return the first one of those who are assigned."""
        return next(iter(self.assignees), "")

    def comment(self, item: Fields) -> None:
        """Add a comment."""
        created = item.moment("created_at")
        author = login(item.one("user") or item.one("actor"))
        self.changes.append(Change(author, created, item.text("body", "")))
        self.authors.append(author)
        reactions = item.one("reactions")
        count = reactions.number_or_none("total_count") if reactions else 0
        self.report.lose("{n} {reaction|reactions}", f"#{self.key}", count or 0)
        if (item.moment_or_none("updated_at") or created) > created:
            self.report.change(
                "{n} {comment was|comments were} edited; the last text is kept", f"#{self.key}"
            )

    def event(self, item: Fields) -> None:
        """Add what an event changed, or count it."""
        kind = item.text("event")
        apply = self._appliers.get(kind)
        if apply is None:
            self.report.lose("{n} {event|events} of other kinds", kind, kind not in _SILENT)
            return
        by = item.one("assigner") or item.one("actor")
        change = Change(login(by), item.moment("created_at"))
        apply(change, item)
        self.changes.append(change)

    @property
    def _appliers(self) -> Mapping[str, Callable[[Change, Fields], None]]:
        return {
            "closed": self._closed,
            "reopened": self._reopened,
            "labeled": self._labeled,
            "unlabeled": self._unlabeled,
            "assigned": self._assigned,
            "unassigned": self._unassigned,
            "milestoned": self._milestoned,
            "demilestoned": self._demilestoned,
            "renamed": self._renamed,
        }

    def _set_state(self, change: Change, state: str) -> None:
        change.edits["state"] = Edit(self.state, state)
        self.state = state

    def _closed(self, change: Change, item: Fields) -> None:
        self._set_state(change, _REASONS.get(item.text("state_reason", ""), CLOSED))
        # A commit that closed an issue is the comment on it.
        change.body = item.text("commit_id", "")

    def _reopened(self, change: Change, _item: Fields) -> None:
        self._set_state(change, OPEN)

    def _labeled(self, change: Change, item: Fields) -> None:
        change.tagged = frozenset({_named(item, "label", "name")} - {""})

    def _unlabeled(self, change: Change, item: Fields) -> None:
        change.untagged = frozenset({_named(item, "label", "name")} - {""})

    def _assigned(self, change: Change, item: Fields) -> None:
        before, who = self.assignee, login(item.one("assignee"))
        self.assignees = [*(each for each in self.assignees if each != who), who]
        self._set_assignee(change, before)

    def _unassigned(self, change: Change, item: Fields) -> None:
        before, who = self.assignee, login(item.one("assignee"))
        self.assignees = [each for each in self.assignees if each != who]
        self._set_assignee(change, before or who)

    def _set_assignee(self, change: Change, before: str) -> None:
        if before != self.assignee:
            change.edits["assignee"] = Edit(before, self.assignee)

    def _milestoned(self, change: Change, item: Fields) -> None:
        self._set_milestone(change, _named(item, "milestone", "title"), self.milestone)

    def _demilestoned(self, change: Change, item: Fields) -> None:
        self._set_milestone(change, "", _named(item, "milestone", "title"))

    def _set_milestone(self, change: Change, after: str, before: str) -> None:
        change.edits["milestone"] = Edit(before, after)
        self.milestone = after

    def _renamed(self, change: Change, item: Fields) -> None:
        if said := item.one("rename"):
            change.edits["title"] = Edit(said.text("from", ""), said.text("to", ""))


def _named(item: Fields, name: str, member: str) -> str:
    held = item.one(name)
    return held.text(member, "") if held else ""
