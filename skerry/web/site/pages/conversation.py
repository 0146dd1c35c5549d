"""The history of a ticket as its page shows it: texts, and changes in words.

Changes without a text by one person within ten minutes are one line. Longer runs of such lines are folded.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import groupby, pairwise

from skerry.resources.tickets import Attachment, Ticket, Version
from skerry.text.actions import is_bare_command
from skerry.tracker import edit_conflicts, versions
from skerry.tracker.change_words import ChangeInWords, with_names
from skerry.tracker.context import Context
from skerry.tracker.form_choices import Choices
from skerry.wire.record import changed

_ALL_SHOWN = 200
"""Up to this many versions are shown completely; of more, a part is shown at a time."""

_SHOWN = 100

_JOINED = timedelta(minutes=10)
_UNFOLDED = 5
_MAX_QUOTED = 10_000
_VERSION = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Turn:
    """A version in the conversation: its text, its changes and its files.

    ``earlier`` are the numbers of the versions that were joined with it.
    """

    version: Version
    changes: list[ChangeInWords]
    files: list[Attachment]
    earlier: tuple[int, ...] = ()

    @property
    def number(self) -> int:
        """Return the number of the version."""
        return self.version.version or 0

    @property
    def seen(self) -> str:
        """Return the mark of the text, which the form sends back."""
        return edit_conflicts.mark(self.version.body)

    @property
    def says(self) -> bool:
        """Return whether there is content to show."""
        return bool(self.version.body.strip() or self.version.body_deleted_by or self.changes or self.files)

    @property
    def is_brief(self) -> bool:
        """Return whether there are only changes, or commands that made them."""
        said = self.version.body_deleted_by or self.files or self.number == 1
        body = self.version.body.strip()
        is_command = bool(self.changes) and body.startswith("[") and is_bare_command(body)
        return not said and (not body or is_command)

    def follows(self, other: "Turn") -> bool:
        """Return whether this can be joined with the turn before it."""
        if not (self.is_brief and other.is_brief) or self.version.user_id != other.version.user_id:
            return False
        began, ended = other.version.created_at, self.version.created_at
        return began is not None and ended is not None and ended - began <= _JOINED

    def joined_with(self, other: "Turn") -> "Turn":
        """Return one turn for this and the one before it: what ended as it began is left out."""
        changes = {change.name: change for change in other.changes}
        for change in self.changes:
            first = changes.get(change.name)
            changes[change.name] = change._replace(before=first.before) if first else change
        kept = [change for change in changes.values() if change.before != change.after]
        # The time of the first one counts, so that a run of changes ends.
        version = changed(self.version, created_at=other.version.created_at)
        return replace(self, version=version, changes=kept, earlier=(*other.earlier, other.number))


@dataclass(frozen=True)
class Conversation:
    """The part of a ticket's history on a page: its opening and some consecutive versions.

    ``earlier`` and ``later`` count the versions before and after those; ``earlier_at`` and ``later_at`` are
    versions in the middle of the adjacent pages, None for the newest page.
    """

    turns: list[Turn]
    earlier: int = 0
    later: int = 0
    earlier_at: int | None = None
    later_at: int | None = None

    @property
    def runs(self) -> list[list[Turn]]:
        """Return the turns after the opening in lists: several in one are folded."""
        return list(_runs(self.turns[1:]))

    @property
    def last(self) -> int:
        """Return the number of the last version."""
        return self.turns[-1].number


def _runs(turns: list[Turn]) -> Iterator[list[Turn]]:
    for is_brief, some in groupby(_joined(turns), key=lambda turn: turn.is_brief):
        run = list(some)
        if is_brief and len(run) > _UNFOLDED:
            yield run[:-1]
            run = run[-1:]
        yield from ([turn] for turn in run)


def _joined(turns: list[Turn]) -> list[Turn]:
    joined: list[Turn] = []
    for turn in turns:
        if joined and turn.follows(joined[-1]):
            joined[-1] = turn.joined_with(joined[-1])
        else:
            joined.append(turn)
    return joined


def of_ticket(context: Context, ticket: Ticket, choices: Choices, at: str) -> Conversation:
    """Return the conversation of a ticket, around a version if it is long."""
    turns = _turns(ticket, choices)
    return _around(turns, at) if has_opening(ticket) else _part(context, ticket, turns)


def version_in(at: str) -> int | None:
    """Return the number of the version named in a URL, or None."""
    return int(at) if _VERSION.fullmatch(at) else None


def has_opening(ticket: Ticket) -> bool:
    """Return whether the first version of a ticket is among those that were read."""
    return any(version.version == 1 for version in (ticket.versions or [])[:1])


def quoted(context: Context, ticket: Ticket) -> dict[int, str]:
    """Return by version what was left out of the texts that came by mail, shortened if it is long."""
    numbers = [version.version or 0 for version in ticket.versions or []]
    texts = versions.quoted(context, ticket.number or 0, numbers[0], numbers[-1], _MAX_QUOTED + 1)
    return {
        number: text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]} …"
        for number, text in texts.items()
    }


def _part(context: Context, ticket: Ticket, turns: list[Turn]) -> Conversation:
    """Return the opening of a large ticket, and the versions that fit into the page."""
    first, last = turns[0].number, turns[-1].number
    earlier, later = versions.around(context, ticket.number or 0, first, last)
    begun = turns[:1] if has_opening(ticket) else [_opening(context, ticket)]
    said = [turn for turn in turns if turn.says and turn.number > 1]
    return Conversation(begun + said, earlier, later, first - 1 if earlier else None)


def _opening(context: Context, ticket: Ticket) -> Turn:
    """Return the first version of a ticket, its text shortened if necessary, with its files."""
    opening, second = versions.first_two(context, ticket.number or 0)
    files = (ticket.attachments or [])[: second.attachments_count]
    return Turn(changed(opening, body=ticket.body, body_html=ticket.body_html), [], files)


def _turns(ticket: Ticket, choices: Choices) -> list[Turn]:
    everything: list[Version] = ticket.versions or []
    names, files = _names(ticket, everything, choices), list(ticket.attachments or [])
    # The count in a version does not include its own files.
    counts = [*(version.attachments_count for version in everything), len(files)]
    return [
        Turn(version, with_names(version, names), files[first:last])
        for version, (first, last) in zip(everything, pairwise(counts), strict=True)
    ]


def _around(turns: list[Turn], wanted: str) -> Conversation:
    opening, said = turns[:1], [turn for turn in turns[1:] if turn.says]
    if len(said) <= _ALL_SHOWN:
        return Conversation(opening + said)
    at, half, newest = version_in(wanted), _SHOWN // 2, len(said) - _SHOWN
    amid = bisect_left(said, at, key=_number) if at is not None else len(said)
    start = min(max(amid - half, 0), newest)
    stop = start + _SHOWN
    return Conversation(
        opening + said[start:stop],
        start,
        newest - start,
        said[max(start - _SHOWN + half, 0)].number if start else None,
        said[stop + half].number if stop < newest else None,
    )


def _number(turn: Turn) -> int:
    return turn.number


def _names(ticket: Ticket, everything: list[Version], choices: Choices) -> Mapping[tuple[str, int], str]:
    """Return the names of people and milestones, including those that can no longer be chosen."""
    names: dict[tuple[str, int], str] = {}
    stands: tuple[Ticket | Version, ...] = (*everything, ticket)
    for each in stands:
        names["assigned_user", each.assigned_user_id or 0] = each.assigned_user_name or ""
        names["milestone", each.milestone_id or 0] = each.milestone_title or ""
    names |= {("assigned_user", person.id): person.name for person in choices.people}
    names |= {("importance", level.number): level.name for level in choices.levels.all}
    return names | {("milestone", each.id): each.title for each in choices.milestones}
