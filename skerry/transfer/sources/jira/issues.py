"""What an issue of Jira has, from any of its exports."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skerry.transfer.sources.records import Milestone, Person

_KEY = re.compile(r"([A-Z][A-Z0-9_]{0,30})-([1-9]\d{0,14})")
_DONE = frozenset(
    ("closed", "resolved", "done", "complete", "completed", "fixed", "rejected", "cancelled", "canceled")
)


Text = str | dict[str, Any]
"""A text in Jira's markup, or a document."""


class Key(NamedTuple):
    """The key of an issue, such as ``ROOF-12``."""

    project: str
    number: int


def read_key(text: str) -> Key | None:
    """Return a key, or None if it is none."""
    match = _KEY.fullmatch(text)
    return Key(match[1], int(match[2])) if match else None


@dataclass
class Issue:
    """An issue, as plain values, so that it can be kept in a file.

    People are their keys, moments are microseconds. ``links`` are pairs of a phrase, such as ``is blocked
    by``, and a key. ``comments`` have ``author``, ``at`` and ``body``; ``comment_ids`` are those of all that
    the export has, and ``missing`` is how many more it announces. ``files`` have ``id``, ``name``,
    ``author``, ``at``, ``size``, ``type`` and ``url``; ``history`` has ``author``, ``at`` and ``items`` of
    ``field``, ``from``, ``to``, ``old`` and ``new``.
    """

    key: str
    title: str
    created_at: int
    author: str = ""
    body: Text = ""
    environment: Text = ""
    status: str = ""
    resolution: str = ""
    kind: str = ""
    priority: str = ""
    assignee: str = ""
    labels: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)
    milestones: list[str] = field(default_factory=list)
    affects: list[str] = field(default_factory=list)
    updated_at: int | None = None
    resolved_at: int | None = None
    due_on: str | None = None
    parent: str = ""
    links: list[list[str]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    comment_ids: dict[str, None] = field(default_factory=dict)
    missing: int = 0
    files: list[dict[str, Any]] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)
    watchers: list[str] = field(default_factory=list)
    private: bool = False
    id: str = ""


@dataclass
class Found:
    """What the issues of one project name; ``done`` has the statuses that end an issue."""

    key: str
    name: str = ""
    origin: str = ""
    address: str = ""
    description: Text = ""
    created_at: int | None = None
    people: dict[str, Person] = field(default_factory=dict)
    milestones: dict[str, Milestone] = field(default_factory=dict)
    statuses: dict[str, bool] = field(default_factory=dict)
    resolutions: dict[str, None] = field(default_factory=dict)
    priorities: dict[str, int] = field(default_factory=dict)
    keys: dict[str, None] = field(default_factory=dict)

    def person(self, key: str, name: str, email: str = "") -> str:
        """Add a person and return the key."""
        if key and key not in self.people:
            self.people[key] = Person(key, name or key, email)
        return key

    def status(self, name: str, *, done: bool | None) -> str:
        """Add a status; without a category, its name decides."""
        if name and (done is not None or name not in self.statuses):
            self.statuses[name] = name.lower() in _DONE if done is None else done
        return name

    def milestone(self, name: str, found: Callable[[], Milestone] | None = None) -> str:
        """Add a version as a milestone."""
        if name and name not in self.milestones:
            self.milestones[name] = found() if found else Milestone(name, name)
        return name

    def note_all(self, issue: Issue) -> None:
        """Note what the history of an issue names."""
        self.keys[issue.key] = None
        self.created_at = min(self.created_at or issue.created_at, issue.created_at)
        if issue.resolution:
            self.resolutions[issue.resolution] = None
        if issue.priority:
            self.priorities.setdefault(issue.priority, len(self.priorities))
        for change in issue.history:
            for item in change["items"]:
                self._note(item["field"], [item["old"], item["new"]])

    def _note(self, name: str, values: Iterable[str]) -> None:
        for value in filter(None, values):
            if name == "status":
                self.status(value, done=None)
            elif name == "resolution":
                self.resolutions[value] = None
            elif name == "priority":
                self.priorities.setdefault(value, len(self.priorities))
            elif name == "fix version":
                self.milestone(value)
