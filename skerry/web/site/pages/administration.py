"""The pages of administrators, and of the people whom they invite."""

from skerry.resources.projects import Project
from skerry.resources.removals import Removal
from skerry.store.people.person import StoredPerson
from skerry.tracker import administration, health, projects, removals
from skerry.tracker.auth import applicants, invitations, setup_links
from skerry.tracker.context import Context, Params
from skerry.tracker.mail import queue
from skerry.tracker.people import placeholders, roles, single_sign_on
from skerry.tracker.sending import backlogs, sending
from skerry.tracker.spam import spam
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import choices, lines, search_text, url_after_removal

_ON_A_PAGE = 50
_FIRST = 12
"""How many invitations and projects the administration page shows; separate pages show all."""


def get(context: Context, params: Params) -> Content:
    """Return the account, a page of its people, its first invitations and projects, and the health."""
    people, path = administration.filter_by_name(context, search_text(params, "q")), "/administration"
    waiting, everything = invitations.filter_by_name(context, ""), projects.filter_by_name(context, "")
    outside = administration.filter_outside_by_name(context, "")
    candidates = (
        projects.filter_by_name(context, search_text(params, "project"))
        if params.query.get("project")
        else everything
    )
    # An invitation form opened from a project returns there; with a single project there is no question.
    invites_to = params.query.get("for", "")
    return {
        "people": lines(params, path, people, _ON_A_PAGE),
        "outside_total": len(outside),
        "spam_total": len(spam.list_all(context, params).records),
        "applicants_total": applicants.count(context),
        "placeholders_total": len(placeholders.filter_by_name(context, "")),
        "invitations": waiting[:_FIRST],
        "invitations_total": len(waiting),
        "projects": everything[:_FIRST],
        "projects_total": len(everything),
        "choices": choices(
            params, path, "project", sorted(candidates, key=lambda each: str(each.id) != invites_to)
        ),
        "invites_to": invites_to or _obvious_project(everything),
        "is_inviting": bool(invites_to),
        "roles": roles.given_by(context),
        "linked": administration.linked(context),
        "account": administration.account(context, params),
        "mails": queue.is_on(context.transaction),
        "health": health.get(context, params),
        "sending": sending.get(context, params),
        "removed": _just_removed(outside, params),
        "restorable": _restorable(context, params),
    }


def _obvious_project(everything: list[Project]) -> str:
    """Return the id of the project to invite to if there is no choice, 0 for none; empty if there is one."""
    return str(everything[0].id if everything else 0) if len(everything) <= 1 else ""


def backlog(context: Context, params: Params) -> Content:
    """Return the backlogs, and whether sending is paused."""
    names = projects.names(context)
    return {
        "backlog": backlogs.list_all(context, params).records,
        "names": names,
        "sending": sending.get(context, params),
    }


def _just_removed(outside: list[StoredPerson], params: Params) -> StoredPerson | None:
    """Return the person whom the previous form removed, if any."""
    wanted = params.query.get("removed")
    return next((person for person in outside if str(person.id) == wanted), None)


def removal(context: Context, params: Params) -> Content:
    """Return a person who can be removed, their open tickets, and the possible successors."""
    person = administration.one(context, params.ids["id"])
    loads = removals.load_of_person(context, person.id)
    concerned = [load.project_id for load in loads if not load.archived]
    successors = removals.successors(context, person.id, concerned, search_text(params, "successor"))
    return {
        "person": person,
        "loads": loads,
        "successors": choices(params, f"/people/{person.id}/delete", "successor", successors),
        "next": url_after_removal(params, "/administration", person.id),
    }


def removed(context: Context, params: Params) -> Content:
    """Return a page of removed people, and of outsiders with a disabled login."""
    people = administration.filter_outside_by_name(context, search_text(params, "q"))
    return {
        "lines": lines(params, "/people/removed", people, _ON_A_PAGE),
        "restorable": _restorable(context, params),
    }


def placeholders_found(context: Context, params: Params) -> Content:
    """Return a page of the imported people without a login, and the people who can get them."""
    those = placeholders.filter_by_name(context, search_text(params, "q"))
    people = administration.filter_by_name(context, search_text(params, "whom"))
    return {
        "lines": lines(params, "/people/placeholders", those, _ON_A_PAGE),
        "people": choices(params, "/people/placeholders", "whom", people),
    }


def _restorable(context: Context, params: Params) -> dict[int | None, Removal]:
    return {removal.user_id: removal for removal in removals.of_account(context, params).records}


def list_invitations(context: Context, params: Params) -> Content:
    """Return a page of the valid invitations."""
    return {
        "lines": lines(
            params, "/invitations", invitations.filter_by_name(context, search_text(params, "q")), _ON_A_PAGE
        )
    }


def welcome(context: Context, params: Params) -> Content:
    """Return an invitation; raises NotFound if the code is not valid."""
    return {
        "welcome": invitations.welcome(context, params),
        "joins": invitations.is_for_principal(context, params),
        "is_for_provider": single_sign_on.is_needed(context),
        "code": params.texts["code"],
    }


def set_up(context: Context, params: Params) -> Content:
    """Return the set-up form of a new service; raises NotFound if the code is not valid."""
    return {"set_up": setup_links.get(context, params), "code": params.texts["code"]}
