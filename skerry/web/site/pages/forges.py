"""The page of the forges that push to a project."""

from skerry.store.people import users
from skerry.tracker.context import Context, Params
from skerry.tracker.forges import forges
from skerry.web.site.pages import Content

NAMES = {"github": "GitHub", "gitlab": "GitLab", "forgejo": "Forgejo", "gitea": "Gitea"}


def list_all(context: Context, params: Params) -> Content:
    """Return the forges of the project, with the names of their owners."""
    records = forges.list_all(context, params).records
    people = [users.one(context.transaction, user_id) for user_id in {each.user_id or 0 for each in records}]
    return {
        "forges": records,
        "names": NAMES,
        "owners": {person.id: person.name for person in people if person},
        "address": f"/projects/{context.project_id}/forges",
    }
