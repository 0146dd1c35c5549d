"""Fills a Trac environment with what bench/compare/beside_data.py told; run by the Python that has Trac.

    python -m bench.compare.trac_load ENVIRONMENT FILE

Everything is made by Trac's own models, in one transaction. The standard output is a session of the second
person: the value of the cookie that Trac sets for whoever signs in.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trac.env import open_environment
from trac.perm import PermissionSystem
from trac.ticket.model import Component, Milestone, Ticket, Version
from trac.util import hex_entropy
from trac.web.session import DetachedSession

PRIORITIES = ("minor", "major", "critical", "blocker")
# A status says whether a ticket is closed, and a resolution how.
STATES = {
    "new": ("new", ""),
    "open": ("accepted", ""),
    "hold": ("hold", ""),
    "resolved": ("closed", "fixed"),
    "invalid": ("closed", "invalid"),
}
HOLD = {"hold": "* -> hold", "hold.permissions": "TICKET_MODIFY"}


def load(home: str, file: Path) -> str:
    """Fill the environment and return the second person's session."""
    environment = open_environment(home)
    for name, value in HOLD.items():
        environment.config.set("ticket-workflow", name, value)
    environment.config.save()
    with file.open() as lines, environment.db_transaction as database:
        said = (json.loads(line) for line in lines)
        around = next(said)
        _permit(PermissionSystem(environment))
        _replace(environment, around["milestones"])
        for person in around["people"]:
            _introduce(environment, person)
        for ticket in said:
            _add(environment, ticket)
        session = hex_entropy()
        row = (session, around["people"][1]["login"], "", int(time.time()))
        database("INSERT INTO auth_cookie (cookie, name, ipnr, time) VALUES (%s, %s, %s, %s)", row)
    environment.shutdown()
    return session


def _permit(permissions: Any) -> None:
    """Show everything to whoever is signed in, with addresses, and to nobody else."""
    for person, action in permissions.get_all_permissions():
        if person == "anonymous":
            permissions.revoke_permission("anonymous", action)
            permissions.grant_permission("authenticated", action)
    permissions.grant_permission("authenticated", "EMAIL_VIEW")


def _replace(environment: Any, milestones: Iterable[str]) -> None:
    """Put the milestones in the place of Trac's examples, and take away its examples of what is not told."""
    for kind in (Component, Version, Milestone):
        for example in list(kind.select(environment)):
            example.delete()
    for name in milestones:
        milestone = Milestone(environment)
        milestone.name = name
        milestone.insert()


def _introduce(environment: Any, person: Mapping[str, str]) -> None:
    """Tell name and address of a person; passwords are for the web server to know."""
    session = DetachedSession(environment, person["login"])
    session.update(name=person["name"], email=person["login"])
    session.save()


def _add(environment: Any, ticket: Mapping[str, Any]) -> None:
    """Add a ticket with a comment for each text but the first, which is its description."""
    status, resolution = STATES[ticket["state"]]
    first, *others = ticket["messages"]
    made = Ticket(environment)
    values = {
        "type": "defect",
        "summary": ticket["title"],
        "description": first["text"],
        "reporter": ticket["creator"],
        "owner": ticket["assignee"] or "",
        "cc": ", ".join(sorted({ticket[who] for who in ("creator", "author", "assignee") if ticket[who]})),
        "status": status,
        "resolution": resolution,
        "priority": PRIORITIES[ticket["importance"]],
        "milestone": ticket["milestone"] or "",
        "keywords": " ".join(ticket["tags"]),
    }
    made.populate(values)
    number = made.insert(when=_timestamp(ticket["opened"]))
    if number != ticket["number"]:
        raise SystemExit(f"Ticket {ticket['number']} became {number}; the environment was not empty")
    for message in others:
        made.save_changes(message["author"], message["text"], when=_timestamp(message["at"]))


def _timestamp(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


if __name__ == "__main__":
    print(load(sys.argv[1], Path(sys.argv[2])))
