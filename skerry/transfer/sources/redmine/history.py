"""The journals of Redmine: notes and changes of an issue."""

from collections.abc import Callable, Iterator, Mapping

from skerry.transfer.sources import moments
from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.records import Change, Edit, Person
from skerry.transfer.sources.redmine.known import Known
from skerry.transfer.sources.report import Report

_FIELDS: Mapping[str, str] = {
    "status_id": "state",
    "subject": "title",
    "priority_id": "level",
    "assigned_to_id": "assignee",
    "fixed_version_id": "milestone",
    "due_date": "due_on",
}
_TAGS = ("tracker_id", "category_id")
# The values of an issue that have no history here, by what they are called.
_LOST = {
    "start_date": "the start",
    "done_ratio": "what is done",
    "estimated_hours": "estimated time",
    "parent_id": "the parent",
    "project_id": "the project",
    "is_private": "privacy",
}
_OTHERS = {"attachment": "attached files", "relation": "links"}


class History:
    """Reads the journals of one issue."""

    def __init__(self, known: Known, report: Report, key: str, markdown: Callable[[str], str]) -> None:
        """Create a reader; ``markdown`` converts notes and descriptions."""
        self._known, self._report, self._key, self._markdown = known, report, key, markdown

    def changes(self, issue: Fields) -> Iterator[Change]:
        """Yield the changes of the issue."""
        for journal in issue.several("journals"):
            notes = journal.text("notes", "")
            if journal.truth("private_notes") and notes.strip():
                self._report.lose("{n} private {note|notes}, which only some people could read", self._key)
                notes = ""
            change = Change(
                self._known.person(journal.one("user")),
                journal.moment("created_on"),
                self._markdown(notes) if notes.strip() else "",
            )
            if journal.list("reactions"):
                self._report.lose("{n} {reaction|reactions}", self._key, len(journal.list("reactions")))
            for detail in journal.several("details"):
                self._add(change, detail)
            if not change.is_empty or change.text_before is not None:
                yield change

    def _add(self, change: Change, detail: Fields) -> None:
        """Add one changed value to a change."""
        kind, name = detail.text("property", ""), str(detail.tree.get("name") or "")
        old, new = _value(detail, "old_value"), _value(detail, "new_value")
        if kind != "attr":
            self._lose_other(kind, name, is_new=not old)
        elif name in _TAGS:
            names = self._known.trackers if name == "tracker_id" else self._known.categories
            before, after = ({self._named(names, each, name)} - {""} for each in (old, new))
            change.untagged = (change.untagged | (before - after)) - after
            change.tagged = (change.tagged | (after - before)) - before
        elif name == "description":
            change.text_before = self._markdown(old)
        elif edit := self._edit(name, old, new):
            change.edits[edit[0]] = edit[1]
        else:
            self._report.lose(
                f"{{n}} {{change|changes}} of {_LOST.get(name, name[:50])} in the history", self._key
            )

    def _edit(self, name: str, old: str, new: str) -> tuple[str, Edit] | None:
        """Return the field that a change is of, with both values, or None for a change that has no place."""
        if name not in _FIELDS:
            return None
        read: Mapping[str, Callable[[str], str | None]] = {
            "status_id": self._state,
            "priority_id": lambda number: self._named(self._known.priorities, number, name),
            "assigned_to_id": self._person,
            "due_date": moments.day,
        }
        meant = read.get(name, str)
        return _FIELDS[name], Edit(meant(old), meant(new))

    def _state(self, number: str) -> str:
        status = self._known.statuses.get(number)
        if number and not (status and status.name):
            self._unnamed("status_id", number)
        return self._known.state(number)

    def _named(self, names: dict[str, str], number: str, field: str) -> str:
        if number and number not in names:
            self._unnamed(field, number)
        return names.get(number, "")

    def _unnamed(self, field: str, number: str) -> None:
        sentence = "{n} {value|values} in the history whose {name|names} the answers do not have"
        self._report.change(sentence, f"{field[:50]} {number[:20]}")

    def _person(self, number: str) -> str:
        if number and number not in self._known.people:
            self._unnamed("assigned_to_id", number)
            self._known.people[number] = Person(number, f"User {number}")
        return number

    def _lose_other(self, kind: str, name: str, *, is_new: bool) -> None:
        if kind in ("cf", "custom_field"):
            field = self._known.fields.get(name)
            called = field.name[:50].replace("{", "(").replace("}", ")") if field else "a custom field"
            self._report.lose(f"{{n}} {{change|changes}} of {called} in the history", self._key)
        elif kind != "attachment" or not is_new:
            # New files tell by themselves when they came.
            called = _OTHERS.get(kind, kind[:50])
            self._report.lose(f"{{n}} {{change|changes}} of {called} in the history", self._key)


def _value(detail: Fields, name: str) -> str:
    value = detail.tree.get(name)
    return "" if value is None else str(value)
