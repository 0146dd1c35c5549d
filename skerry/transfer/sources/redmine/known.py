"""What the answers of Redmine name: statuses, priorities, versions, people, each by its number."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.records import Person
from skerry.transfer.sources.report import Report

_CLOSED = frozenset(("closed", "rejected", "done", "cancelled", "canceled", "geschlossen", "abgewiesen"))
_LOCKED = 3
_FORMATS = {"bool": {"0": "no", "1": "yes"}}


@dataclass(slots=True)
class Status:
    """A status; ``closed`` is None until an answer says it, ``ends`` counts its issues that have an end."""

    name: str = ""
    closed: bool | None = None
    ends: Counter[bool] = field(default_factory=Counter)


@dataclass(slots=True)
class Version:
    """A version, which other projects may share."""

    name: str = ""
    project: str = ""
    about: Fields | None = None


@dataclass(slots=True)
class CustomField:
    """A custom field; ``values`` are the words for what it keeps, if they differ."""

    name: str = ""
    format: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


def number_of(values: Fields | None) -> str:
    """Return the number of an object as a text, empty for none."""
    return str(values.number("id")) if values else ""


@dataclass
class Known:
    """All that is named; the order of ``priorities`` is that of their list, if ``ranked``."""

    statuses: dict[str, Status] = field(default_factory=dict)
    trackers: dict[str, str] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)
    priorities: dict[str, str] = field(default_factory=dict)
    ranked: bool = False
    versions: dict[str, Version] = field(default_factory=dict)
    fields: dict[str, CustomField] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    logins: dict[str, str] = field(default_factory=dict)
    projects: dict[str, Fields] = field(default_factory=dict)
    project_names: dict[str, str] = field(default_factory=dict)
    address: str = ""

    def name(self, kind: dict[str, str], values: Fields | None) -> str:
        """Note the name of an object of a kind, and return its number, empty for none."""
        number = number_of(values)
        if values and number and values.has("name"):
            kind.setdefault(number, values.text("name", ""))
        return number

    def status(self, values: Fields | None) -> str:
        """Note a status and return its number."""
        number = number_of(values)
        if values is None:
            return number
        found = self.statuses.setdefault(number, Status())
        found.name = values.text("name", "") or found.name
        if values.tree.get("is_closed") is not None:
            found.closed = values.truth("is_closed")
        return number

    def state(self, number: str) -> str:
        """Return the name of a status."""
        found = self.statuses.get(number)
        return (found.name if found else "") or (f"status-{number}" if number else "")

    def is_closed(self, number: str) -> bool:
        """Return whether a status ends an issue: as an answer says, or else as all its issues do."""
        found = self.statuses.get(number) or Status()
        if found.closed is not None:
            return found.closed
        dated = any(each.ends[True] for each in self.statuses.values())
        return found.ends[True] > 0 and not found.ends[False] if dated else found.name.lower() in _CLOSED

    def version(self, values: Fields | None, *, whole: bool = False) -> str:
        """Note a version, of which ``whole`` has everything, and return its number."""
        number = number_of(values)
        if values:
            found = self.versions.setdefault(number, Version())
            found.name = values.text("name", "") or found.name
            if whole:
                found.about, found.project = values, number_of(values.one("project"))
        return number

    def person(self, values: Fields | None) -> str:
        """Note whoever an answer names, and return their number, empty for nobody."""
        number = number_of(values)
        if values and number not in self.people:
            self.people[number] = Person(number, values.text("name", "") or f"User {number}")
        return number

    def user(self, values: Fields, report: Report) -> None:
        """Note an account; those that are locked keep no address, so that nobody gets in by it."""
        number, login, email = number_of(values), values.text("login", ""), values.text("mail", "")
        name = " ".join(part for part in (values.text("firstname", ""), values.text("lastname", "")) if part)
        if values.number_or_none("status") == _LOCKED and email:
            report.change("{n} locked {account is a placeholder|accounts are placeholders}", login)
            email = ""
        self.people[number] = Person(number, name or login or f"User {number}", email)
        if login:
            self.logins[login.lower()] = number

    def custom_field(self, values: Fields, *, whole: bool = False) -> CustomField:
        """Note a custom field, of which ``whole`` has everything."""
        found = self.fields.setdefault(number_of(values), CustomField())
        found.name = values.text("name", "") or found.name or f"field {number_of(values)}"
        if whole:
            found.format = values.text("field_format", "")
            said = {
                each.text("value", ""): each.text("label", "") for each in values.several("possible_values")
            }
            found.values = _FORMATS.get(found.format) or {key: label for key, label in said.items() if label}
        return found

    def shown(self, custom: CustomField, value: str) -> str:
        """Return a value of a custom field as people read it."""
        if custom.format == "user" and value in self.people:
            return self.people[value].name
        if custom.format == "version" and value in self.versions:
            return self.versions[value].name
        return custom.values.get(value, value)
