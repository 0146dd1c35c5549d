"""The pages of those who administer an account, and of those whom they invite."""

from skerry.resources.removals import Removal
from skerry.store.person import Person
from skerry.tracker import administration, health, invitations, projects, removals, set_ups
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content
from skerry.web.pages.finding import choices, led_back, lines, sought

_ON_A_PAGE = 50
_FIRST = 12
"""So many invitations and projects stand on the page to administer; a page of their own has all."""


def shown(visit: Visit, ask: Ask) -> Content:
    """Return the account, a page of its people, its first invitations and projects, and the health."""
    people, place = administration.named(visit, sought(ask, "q")), "/administration"
    waiting, everything = invitations.named(visit, ""), projects.named(visit, "")
    outside = administration.outside_named(visit, "")
    found = projects.named(visit, sought(ask, "project")) if ask.query.get("project") else everything
    return {
        "people": lines(ask, place, people, _ON_A_PAGE),
        "outside_total": len(outside),
        "invitations": waiting[:_FIRST],
        "invitations_total": len(waiting),
        "projects": everything[:_FIRST],
        "projects_total": len(everything),
        "choices": choices(ask, place, "project", found),
        "roles": administration.ROLES if visit.author.role == "owner" else administration.ROLES[:2],
        "account": administration.account(visit, ask),
        "health": health.shown(visit, ask),
        "removed": _just_removed(outside, ask),
        "restorable": _restorable(visit, ask),
    }


def _just_removed(outside: list[Person], ask: Ask) -> Person | None:
    """Return whom the form that led here removed, None if none did."""
    wanted = ask.query.get("removed")
    return next((person for person in outside if str(person.id) == wanted), None)


def removal(visit: Visit, ask: Ask) -> Content:
    """Return somebody who may be removed, what they are responsible for, and who could take it over."""
    person = administration.found(visit, ask.ids["id"])
    loads = removals.load_of_person(visit, person.id)
    concerned = [load.project_id for load in loads if not load.archived]
    found = removals.successors(visit, person.id, concerned, sought(ask, "successor"))
    return {
        "person": person,
        "loads": loads,
        "successors": choices(ask, f"/people/{person.id}/delete", "successor", found),
        "next": led_back(ask, "/administration", person.id),
    }


def removed(visit: Visit, ask: Ask) -> Content:
    """Return a page of who was removed from the account, and of strangers with a disabled login."""
    found = administration.outside_named(visit, sought(ask, "q"))
    return {"lines": lines(ask, "/people/removed", found, _ON_A_PAGE), "restorable": _restorable(visit, ask)}


def _restorable(visit: Visit, ask: Ask) -> dict[int | None, Removal]:
    return {removal.user_id: removal for removal in removals.of_account(visit, ask).records}


def invited(visit: Visit, ask: Ask) -> Content:
    """Return a page of the invitations that can still be used."""
    return {"lines": lines(ask, "/invitations", invitations.named(visit, sought(ask, "q")), _ON_A_PAGE)}


def welcome(visit: Visit, ask: Ask) -> Content:
    """Return what somebody is invited to; raises NotFound if the code opens nothing."""
    return {
        "welcome": invitations.welcome(visit, ask),
        "joins": invitations.is_for_caller(visit, ask),
        "code": ask.texts["code"],
    }


def set_up(visit: Visit, ask: Ask) -> Content:
    """Return what a new service is set up with; raises NotFound if the code opens nothing."""
    return {"set_up": set_ups.shown(visit, ask), "code": ask.texts["code"]}
