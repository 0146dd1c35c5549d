"""The pages of service users, for administrators."""

from skerry.tracker import projects
from skerry.tracker.auth import service_users
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import choices, lines, search_text

_ON_A_PAGE = 50


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the service users."""
    people = service_users.filter_by_name(context, search_text(params, "q"))
    return {"lines": lines(params, "/people/service-users", people, _ON_A_PAGE), "roles": service_users.ROLES}


def get(context: Context, params: Params) -> Content:
    """Return a service user with its tokens, and the projects to which a new one can be limited."""
    user = service_users.get(context, params)
    address = f"/people/service-users/{user.id}"
    return {
        "user": user,
        "address": address,
        "roles": service_users.ROLES,
        "tokens": service_users.list_tokens(context, params).records,
        "names": projects.names(context),
        "choices": choices(
            params, address, "project", projects.filter_by_name(context, search_text(params, "project"))
        ),
    }
