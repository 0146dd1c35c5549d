"""The demonstration: a small project that people can look at before they have one of their own.

The story stands in ``demonstration_story.yaml``. It is told through the use cases, step by step with the
clock set back, so that it looks and behaves as if three people had written it in the last two months.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from skerry.database.database import Database
from skerry.database.transactions import MINUTE, SECOND, Transaction
from skerry.errors import Conflict
from skerry.resources.projects import Project
from skerry.store import accounts
from skerry.store.auth import logins
from skerry.store.mail.mail_preferences import NONE
from skerry.store.people import people as people_store
from skerry.tracker import (
    access,
    bins,
    changesets,
    links,
    messages,
    milestones,
    projects,
    secrets,
    settings,
    ticket_templates,
    tickets,
)
from skerry.tracker.access import Permission
from skerry.tracker.auth import setup_links
from skerry.tracker.context import Context, Params, Principal
from skerry.tracker.people import frequency, people

_STORY = Path(__file__).with_name("demonstration_story.yaml")
_DOMAIN = "demo.example"  # reserved: no mail can arrive there

Step = Callable[[Context], object]


class Filled(NamedTuple):
    """What was made: the project, how many tickets, and the logins, which share one password."""

    project_id: int
    project: str
    tickets: int
    logins: list[str]
    password: str


def fill(database: Database, account_id: int) -> Filled:
    """Fill an account with the demonstration, whose first person owns an account that was empty.

    Raises Conflict, and changes nothing, if its people are here already.
    """
    return _Telling(database, account_id, yaml.safe_load(_STORY.read_text(encoding="utf-8"))).tell()


class _Telling:
    def __init__(self, database: Database, account_id: int, story: Mapping[str, Any]) -> None:
        self._database, self._account_id, self._story = database, account_id, story
        self._now = database.clock
        self._people: dict[str, Principal] = {}
        self._milestones: dict[str, int] = {}
        self._project_id = 0

    def tell(self) -> Filled:
        """Take all steps in their order, and set the clock right again."""
        password = secrets.new_password()
        steps = sorted(self._steps(), key=lambda step: -step[0])
        try:
            self._go_back(steps[0][0] + 1)
            with self._database.write() as transaction:
                self._begin(transaction, password)
            for days, author, step in steps:
                self._go_back(days)
                with self._database.write() as transaction:
                    step(self._inside(transaction, author))
        finally:
            self._database.clock = self._now
        return Filled(
            self._project_id,
            self._story["project"]["name"],
            len(self._story["tickets"]),
            [_login(key) for key in self._people],
            password,
        )

    def _go_back(self, days: float) -> None:
        past = int(days * 24 * 60) * MINUTE
        self._database.clock = lambda: self._now() - past

    def _begin(self, transaction: Transaction, password: str) -> None:
        """Add the people and the project, with its settings, templates and views."""
        transaction.account_id = self._account_id
        accounts.lock(transaction)
        if any(logins.with_email(transaction, _login(key)) for key in self._story["people"]):
            raise Conflict("The demonstration is here already")
        roles = {}
        if setup_links.waits(transaction):
            roles[next(iter(self._story["people"]))] = "owner"
        password_hash = secrets.hash_password(password)
        for key, name in self._story["people"].items():
            role = roles.get(key, "member")
            user_id = people.add(
                transaction, email=_login(key), name=name, password_hash=password_hash, role=role
            )
            frequency.change(transaction, user_id, NONE, "")
            self._people[key] = Principal(user_id, name, role)
        first = Context(transaction, next(iter(self._people.values())))
        made = projects.create(first, Params(draft={"name": self._story["project"]["name"], "public": True}))
        self._project_id = made.id or 0
        for principal in self._people.values():
            people_store.join_project(transaction, self._project_id, principal.user_id)
        self._describe(access.enter(first, self._project_id, Permission.CONTRIBUTE, writes=True), made)

    def _describe(self, context: Context, made: Project) -> None:
        description = self._story["project"]["description"].replace("{project}", str(made.id))
        settings.update(context, Params(draft={"description": description}))
        for template in self._story["templates"]:
            ticket_templates.create(context, Params(draft=template))
        for view in self._story["views"]:
            author = self._inside(context.transaction, view["by"])
            bins.create(author, Params(draft=_fields(view)))

    def _inside(self, transaction: Transaction, author: str) -> Context:
        transaction.account_id = self._account_id
        context = Context(transaction, self._people[author])
        return access.enter(context, self._project_id, Permission.CONTRIBUTE, writes=True)

    def _steps(self) -> Iterator[tuple[float, str, Step]]:
        """Yield the steps: how many days ago, who takes it, and what it does in the project."""
        for milestone in self._story["milestones"]:
            yield milestone["at"], milestone["by"], partial(self._open_milestone, milestone)
            if "closed" in milestone:
                yield milestone["closed"], milestone["by"], partial(self._close_milestone, milestone["title"])
        for message in self._story["messages"]:
            yield message["at"], message["by"], partial(_post, message)
            for comment in message["comments"]:
                yield comment["at"], comment["by"], partial(_answer, message["title"], comment["body"])
        for commit in self._story["commits"]:
            yield commit["at"], commit["by"], partial(_push, commit)
        for number, ticket in enumerate(self._story["tickets"], 1):
            yield ticket["at"], ticket["by"], partial(self._open_ticket, ticket)
            for change in ticket.get("then", ()):
                yield change["at"], change["by"], partial(self._change_ticket, number, change)

    def _open_milestone(self, told: Mapping[str, Any], context: Context) -> None:
        due_on = datetime.fromisoformat(self._day(told["due"])).replace(tzinfo=UTC)
        draft = {"title": told["title"], "goals": told["goals"], "due_on": due_on}
        self._milestones[told["title"]] = milestones.create(context, Params(draft=draft)).id or 0

    def _close_milestone(self, title: str, context: Context) -> None:
        milestones.close(context, Params(ids={"id": self._milestones[title]}))

    def _open_ticket(self, told: Mapping[str, Any], context: Context) -> None:
        made = tickets.create(context, Params(draft=self._ticket_draft(told)))
        for kind, name in told.get("links", {}).items():
            links.create(
                context, Params(ids={"number": made.number or 0}, draft={"kind": kind, "ticket": name})
            )

    def _change_ticket(self, number: int, told: Mapping[str, Any], context: Context) -> None:
        tickets.update(context, Params(ids={"number": number}, draft=self._ticket_draft(told)))

    def _ticket_draft(self, told: Mapping[str, Any]) -> dict[str, Any]:
        draft = _fields(told)
        if "milestone" in draft:
            draft["milestone_id"] = self._milestones[draft.pop("milestone")]
        if "assigned" in draft:
            draft["assigned_user_id"] = self._people[draft.pop("assigned")].user_id
        if "due" in draft:
            draft["due_on"] = self._day(draft.pop("due"))
        return draft

    def _day(self, days: float) -> str:
        """Return the day that is some days from today, in UTC, as ISO 8601 writes it."""
        today = datetime.fromtimestamp(self._now() / SECOND, UTC)
        return (today + timedelta(days=days)).date().isoformat()


def _login(key: str) -> str:
    return f"{key}@{_DOMAIN}"


def _fields(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a step, without those about the step itself."""
    return {name: value for name, value in told.items() if name not in ("at", "by", "links", "then")}


def _post(told: Mapping[str, Any], context: Context) -> None:
    messages.create(context, Params(draft={"title": told["title"], "body": told["body"]}))


def _answer(title: str, body: str, context: Context) -> None:
    (asked,) = (each for each in messages.list_all(context, Params()).records if each.title == title)
    messages.comment(context, Params(ids={"id": asked.id or 0}, draft={"body": body}))


def _push(told: Mapping[str, Any], context: Context) -> None:
    changed_at = datetime.fromtimestamp(context.transaction.now / SECOND, UTC)
    draft = {**_fields(told), "changed_at": changed_at}
    draft["changes"] = [change.split(" ", 1) for change in draft.pop("changed")]
    changesets.create(context, Params(draft=draft))
