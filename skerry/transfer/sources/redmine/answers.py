"""All answers of Redmine, sorted by what they contain.

Each has one member with the name of what it is: ``issues`` or ``issue``, ``projects`` and so on.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skerry.text.markup import redmine
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.redmine.known import Known, number_of
from skerry.transfer.sources.report import Report
from skerry.transfer.sources.spool import Spool

# What does not come, in one and in several.
_LOST = {
    "time_entries": "{n} {entry|entries} of spent time",
    "memberships": "{n} {member|members} of projects; give people their roles here",
    "wiki_pages": "{n} {page|pages} of the wiki",
    "news": "{n} {piece|pieces} of news",
    "queries": "{n} saved {query|queries}",
    "files": "{n} {file|files} of projects and versions",
    "roles": "{n} {role|roles}",
}
_SINGLE = {"time_entry": "time_entries", "membership": "memberships", "wiki_page": "wiki_pages"}
_SILENT = frozenset(("total_count", "offset", "limit", "time_entry_activities", "document_categories"))
_ENOUGH = 5_000
_ADDRESS = re.compile(r"(https?://[^\s?#]{1,500}?)/attachments/(?:download/)?\d")

LISTS = (
    *("issues", "projects", "versions", "issue_statuses", "trackers", "issue_priorities"),
    *("issue_categories", "users", "groups", "custom_fields", "time_entry_activities", *_LOST),
)
"""The names of the lists in answers."""


@dataclass(slots=True)
class Place:
    """Where an issue belongs, by the newest answer about it."""

    project: str
    changed_at: int


@dataclass
class Answers:
    """Takes objects one after the other; the issues wait in a file."""

    spool: Spool
    report: Report
    known: Known = field(default_factory=Known)
    issues: dict[int, Place] = field(default_factory=dict)
    announced: int = 0
    textile: int = 0
    markdown: int = 0

    def add(self, item: Fields) -> None:
        """Take an object with the name of what it is, or an issue without one."""
        if item.has("subject", "tracker"):
            self._issue(item)
            return
        if item.has("issues", "total_count"):
            self.announced = max(self.announced, item.number_or_none("total_count") or 0)
        for name, value in item.tree.items():
            if add := self._kinds.get(name):
                self._each(item, name, value, add)
            elif name not in _SILENT:
                kind = _SINGLE.get(name, name)
                count = len(value) if isinstance(value, list) else 1
                sentence = _LOST.get(kind, "{n} {object|objects} of other kinds in the answers")
                self.report.lose(sentence, f"{item.place}, {name[:50]}", count)

    @staticmethod
    def _each(item: Fields, name: str, value: Any, add: Callable[[Fields], object]) -> None:
        if isinstance(value, list):
            for each in item.several(name):
                add(each)
        elif found := item.one(name):
            add(found)

    @property
    def _kinds(self) -> Mapping[str, Callable[[Fields], object]]:
        kinds: Mapping[str, Callable[[Fields], object]] = {
            "issue": self._issue,
            "project": self._project,
            "version": lambda each: self.known.version(each, whole=True),
            "issue_status": self.known.status,
            "tracker": lambda each: self.known.name(self.known.trackers, each),
            "issue_category": lambda each: self.known.name(self.known.categories, each),
            "user": lambda each: self.known.user(each, self.report),
            "group": self.known.person,
            "custom_field": lambda each: self.known.custom_field(each, whole=True),
        }
        plurals = {"issue_status": "issue_statuses", "issue_category": "issue_categories"}
        several = {plurals.get(name, f"{name}s"): add for name, add in kinds.items()}
        return {**kinds, **several, "issue_priorities": self._priority}

    def _priority(self, item: Fields) -> None:
        # Their list is in their order.
        number, known = number_of(item), self.known
        known.priorities.pop(number, None)
        known.priorities[number] = item.text("name", "")
        known.ranked = True

    def _project(self, item: Fields) -> None:
        number = number_of(item)
        # A single answer has more than the list.
        before = self.known.projects.get(number)
        self.known.projects[number] = Fields(item.place, {**(before.tree if before else {}), **item.tree})
        for name, kind in (("trackers", self.known.trackers), ("issue_categories", self.known.categories)):
            for each in item.several(name):
                self.known.name(kind, each)
        for each in item.several("issue_custom_fields"):
            self.known.custom_field(each)

    def _issue(self, item: Fields) -> None:
        number, project = item.number("id"), item.one("project")
        changed_at = item.moment_or_none("updated_on") or 0
        place = Place(self.known.name(self.known.project_names, project), changed_at)
        before = self.issues.get(number)
        if before is None or before.changed_at <= changed_at:
            self.issues[number] = place
        self._note(item)
        self.spool.put(str(number), (item.place, item.tree))

    def _note(self, item: Fields) -> None:
        """Note what an issue names."""
        known = self.known
        status = known.status(item.one("status"))
        if status:
            known.statuses[status].ends[bool(item.tree.get("closed_on"))] += 1
        for each in item.several("allowed_statuses"):
            known.status(each)
        known.name(known.trackers, item.one("tracker"))
        known.name(known.categories, item.one("category"))
        if not known.ranked:
            known.name(known.priorities, item.one("priority"))
        known.version(item.one("fixed_version"))
        for name in ("author", "assigned_to"):
            known.person(item.one(name))
        for each in item.several("custom_fields"):
            known.custom_field(each)
        for each in item.several("attachments"):
            match = _ADDRESS.match(each.text("content_url", ""))
            known.address = known.address or (match[1] if match else "")
        self._look(item.text("description", ""))
        for journal in item.several("journals"):
            known.person(journal.one("user"))
            self._look(journal.text("notes", ""))

    def _look(self, text: str) -> None:
        """Count the signs of both markups, until there are enough."""
        if text and self.textile + self.markdown < _ENOUGH:
            found = redmine.signs(text)
            self.textile, self.markdown = self.textile + found.textile, self.markdown + found.markdown
