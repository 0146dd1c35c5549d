"""Pages of a project's members."""

from collections import defaultdict
from collections.abc import Mapping

from skerry.store.people.person import StoredPerson
from skerry.tracker import administration, removals
from skerry.tracker.context import Context, Params
from skerry.tracker.people import memberships, roles
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import choices, lines, search_text, url_after_removal

_ON_A_PAGE = 50


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the members, and for members the first people who could join.

    After an addition it is the page with the new member. Recently removed people are included too.
    """
    address = _address(context)
    joinable = memberships.joinable(context, search_text(params, "whom")) if context.member else []
    members = memberships.filter_by_name(context, search_text(params, "q"))
    return {
        "members": lines(params, address, members, _ON_A_PAGE, "added", "user_id"),
        "joinable": choices(params, address, "whom", joinable),
        "removals": removals.of_project(context, params).records if context.member else [],
        "removed": params.query.get("removed", ""),
        "people": _people(context),
        "roles": roles.given_by(context),
    }


def _people(context: Context) -> Mapping[int | None, StoredPerson | None]:
    """Return everybody of the account by id, with their roles, if the reader may change those."""
    author = context.principal
    everybody = administration.filter_by_name(context, "") if author and author.administrator else []
    return defaultdict(lambda: None, {person.id: person for person in everybody})


def removal(context: Context, params: Params) -> Content:
    """Return a member who can be removed, their open tickets, and the possible successors."""
    membership = memberships.get(context, params)
    user_id = membership.user_id or 0
    address = _address(context)
    path = f"{address}/{membership.id}/delete"
    successors = removals.successors(context, user_id, [context.project_id], search_text(params, "successor"))
    return {
        "membership": membership,
        "own": user_id == context.author.user_id,
        "loads": removals.load_of_member(context, user_id),
        "by_default": context.project.default_assigned_user_id == user_id,
        "successors": choices(params, path, "successor", successors),
        "address": address,
        "next": url_after_removal(params, address, membership.id or 0),
    }


def _address(context: Context) -> str:
    return f"/projects/{context.project_id}/memberships"
