"""The table of routes: every path with its permission and use case, subject by subject."""

from skerry.web.route import Route
from skerry.web.routes import (
    administration,
    bulk_edits,
    changesets,
    credentials,
    hooks,
    invitations,
    lists,
    mail,
    members,
    messages,
    milestones,
    moderation,
    notifications,
    profile,
    projects,
    service_users,
    sign_ups,
    ticket_templates,
    tickets,
    versions,
)

SUBJECTS = (
    projects,
    tickets,
    versions,
    ticket_templates,
    messages,
    milestones,
    bulk_edits,
    changesets,
    lists,
    hooks,
    notifications,
    members,
    profile,
    credentials,
    administration,
    invitations,
    service_users,
    sign_ups,
    moderation,
    mail,
)

ROUTES: tuple[Route, ...] = tuple(route for subject in SUBJECTS for route in subject.ROUTES)
