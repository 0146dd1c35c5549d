"""What a version changed, in words."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from skerry.resources.links import KINDS
from skerry.resources.tickets import PLAIN, RECORDED, Ticket, Version
from skerry.text.characters import one_line
from skerry.text.tags import read_tags
from skerry.tracker import links
from skerry.wire.record import fields_of

_LABELS = {field.name: field.label for field in fields_of(Ticket)}
_NUMBERS = [field.name for field in PLAIN if field.kind is int]
_NAMED = ("assigned_user", "milestone", "importance")


class ChangeInWords(NamedTuple):
    """A change of a version in words; ``label`` is the name of the field in a sentence.

    Of tags and links, ``added`` and ``removed`` name the differences. A flag is "true" or "false", for which
    pages and mail have their own words.
    """

    name: str
    label: str
    before: str
    after: str

    @property
    def has_parts(self) -> bool:
        """Return whether the values are tags or links, of which some come and others go."""
        return self.name == "tag" or self.name in KINDS

    @property
    def added(self) -> list[str]:
        """Return the tags or links that were added."""
        return _without(self.after, self.before)

    @property
    def removed(self) -> list[str]:
        """Return the tags or links that were removed."""
        return _without(self.before, self.after)


def _without(tags: str, others: str) -> list[str]:
    try:
        left_out = read_tags(others)
        return [tag for tag in read_tags(tags) if tag not in left_out]
    except ValueError:  # a text from before there was a limit
        return [tags]


def in_words(version: Version, name_of: Callable[[str, int], str | None]) -> list[ChangeInWords]:
    """Return the changes of a version.

    ``name_of`` returns the name of a person, milestone or level of importance, by the field and the number.
    """

    def worded(name: str, value: int | str | None) -> str:
        if name in _NAMED and isinstance(value, int) and value:
            return name_of(name, value) or (str(value) if name == "importance" else f"#{value}")
        is_set = value or value is False or RECORDED[name] in _NUMBERS
        return one_line(as_text(value)) if is_set else ""

    before = version.diffable_attributes
    return [
        ChangeInWords(name, _LABELS[field], worded(name, before[name]), worded(name, getattr(version, field)))
        for name, field in RECORDED.items()
        if name in before
    ] + of_links(version)


def with_names(version: Version, names: Mapping[tuple[str, int], str]) -> list[ChangeInWords]:
    """Return the changes of a version, with names by field and number, and those of its own new values."""
    own = {
        ("assigned_user", version.assigned_user_id): version.assigned_user_name,
        ("milestone", version.milestone_id): version.milestone_title,
        ("importance", version.importance): version.importance_name,
    }
    return in_words(version, lambda *named: names.get(named) or own.get(named))


def of_links(version: Version) -> list[ChangeInWords]:
    """Return the changes of a version's links."""
    return [ChangeInWords(*each) for each in links.in_words(version)]


def as_text(value: object) -> str:
    """Return a value as it stands in a form; None is empty."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
