"""What the system notes of GitLab say: changes of values, links, and who was assigned.

Newer versions write events for labels, milestones and states; the rest is only in these notes.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skerry.transfer.sources import dates
from skerry.transfer.sources.records import Change, Edit, Link

OPEN, CLOSED = "open", "closed"

_TITLE = re.compile(r"changed title from \*\*(?P<old>.+)\*\* to \*\*(?P<new>.+)\*\*", re.DOTALL)
# Titles show what was removed and added.
_MARKS = re.compile(r"\{[-+](.*?)[-+]\}", re.DOTALL)
_ASSIGNED = re.compile(r"(?P<un>un)?assigned (?:to )?(?P<who>(?:@[\w.-]+(?:, and |, | and )?)+)")
_PERSON = re.compile(r"@([\w.-]+)")
_MILESTONE = re.compile(r'changed milestone to %(?:"(?P<quoted>[^"]+)"|(?P<plain>\S+))')
_DUE = re.compile(r"changed due date to (?P<day>\w+ \d{1,2}, \d{4})")
_AS = r"marked (?:this \w+ |the \w+ )?as "
_LINKS = (
    (re.compile(rf"{_AS}related to (?P<others>.+)"), "relates-to"),
    (re.compile(rf"{_AS}blocked by (?P<others>.+)"), "blocked-by"),
    (re.compile(rf"{_AS}blocking (?P<others>.+)"), "blocks"),
    (re.compile(rf"{_AS}a duplicate of (?P<others>.+)"), "duplicates"),
    (re.compile(r"added (?P<others>#\d+) as parent .*"), "parent"),
)
_OTHER = re.compile(r"(?<![\w/])#(\d{1,15})(?!\w)")


def assigned_alone(text: str) -> str:
    """Return the name in mentions of the person whom a note assigns, if it says nothing else."""
    match = _ASSIGNED.fullmatch(text.strip())
    names = _PERSON.findall(match["who"]) if match and not match["un"] else []
    return names[0].rstrip(".-") if len(names) == 1 else ""


@dataclass
class History:
    """The values that the notes and events of an issue lead to, in their order.

    ``assignees`` are those who are assigned now, ``person`` finds somebody by their name in mentions.
    """

    assignees: Sequence[str]
    person: Callable[[str], str]
    state: str = OPEN
    milestone: str = ""
    due_on: str | None = None
    links: dict[Link, None] = field(default_factory=dict)

    def set_state(self, change: Change, state: str) -> None:
        """Add a new state to a change."""
        if state != self.state:
            change.edits["state"] = Edit(self.state, state)
            self.state = state

    def set_milestone(self, change: Change, after: str, before: str = "") -> None:
        """Add a new milestone to a change, empty for none; the one before may be known."""
        before = before or self.milestone
        if after != before:
            change.edits["milestone"] = Edit(before, after)
        self.milestone = after

    def note(self, text: str, change: Change) -> bool:
        """Add what a note says to a change; return whether anything of it was understood."""
        return self._values(text, change) or self._links(text) or self._assigned(text, change)

    def _values(self, text: str, change: Change) -> bool:
        if text.startswith(("closed", "reopened")):
            self.set_state(change, CLOSED if text.startswith("closed") else OPEN)
        elif match := _TITLE.fullmatch(text):
            change.edits["title"] = Edit(*(_MARKS.sub(r"\1", match[name]) for name in ("old", "new")))
        elif match := _MILESTONE.fullmatch(text):
            self.set_milestone(change, match["quoted"] or match["plain"])
        elif text == "removed milestone":
            self.set_milestone(change, "")
        elif match := _DUE.search(text):
            self._set_due(change, dates.day(match["day"], "mdy"))
        elif text.startswith("removed due date"):
            self._set_due(change, None)
        else:
            return False
        return True

    def _set_due(self, change: Change, day: str | None) -> None:
        change.edits["due_on"] = Edit(self.due_on, day)
        self.due_on = day

    def _links(self, text: str) -> bool:
        for pattern, kind in _LINKS:
            if match := pattern.fullmatch(text):
                self.links |= {Link(kind, other): None for other in _OTHER.findall(match["others"])}
                return True
        return False

    def _assigned(self, text: str, change: Change) -> bool:
        """Read who was assigned; of several at once, only the one who is now can be told apart."""
        found = list(_ASSIGNED.finditer(text))
        first = next(iter(self.assignees), "")
        for match in found:
            keys = [self.person(name.rstrip(".-")) for name in _PERSON.findall(match["who"])]
            edit = change.edits.get("assignee", Edit("", ""))
            if match["un"] and len(keys) == 1 and len(self.assignees) <= 1:
                change.edits["assignee"] = Edit(keys[0], edit.after)
            elif not match["un"] and (first in keys or len(keys) == 1):
                change.edits["assignee"] = Edit(edit.before, first if first in keys else keys[0])
        return bool(found)
