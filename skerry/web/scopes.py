"""Scopes of tokens: what a token that is limited to some of them may do."""

from skerry.tracker.token_scopes import HOOKS_WRITE, TICKETS_READ, TICKETS_WRITE

_ANY_TOKEN = ("/profile", "/tokens/{token}")
"""Where a program learns who it is."""

_READ = (
    "/projects",
    "/tickets",
    "/milestones",
    "/bins",
    "/bulk_edits",
    "/query",
    "/activity",
    "/events",
    "/users",
)
_FILES = ("/attachments", "/avatars")
_HOOKS = ("/projects/{project_id}/hooks", "/projects/{project_id}/forges")
_CHANGED = ("/projects/{project_id}/tickets", "/projects/{project_id}/bulk_edit", "/bulk_edit")


def needed(path: str, *, writes: bool) -> frozenset[str] | None:
    """Return the scopes of which one is needed for a path; None if every token may use it."""
    if not writes and path in _ANY_TOKEN:
        return None
    if path.startswith(_HOOKS):
        return frozenset({HOOKS_WRITE})
    if writes:
        return frozenset({TICKETS_WRITE} if path.startswith(_CHANGED) else ())
    return frozenset({TICKETS_READ, TICKETS_WRITE} if path.startswith((*_READ, *_FILES)) else ())
