"""The profile: a person's own data, tokens, and the browsers in which they are signed in."""

import re
from urllib.parse import urlencode

from skerry.resources.auth import TokenRequest
from skerry.resources.people import User
from skerry.resources.sending import Feed
from skerry.text.browsers import browser_name
from skerry.tracker import edit_conflicts, projects, row_locks
from skerry.tracker.auth import factors, identities, passkeys, passwords, sessions, token_requests, tokens
from skerry.tracker.context import Context, Params
from skerry.tracker.mail import queue
from skerry.tracker.people import preferences, users
from skerry.tracker.sending import feeds
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import choices, lines, search_text

_ON_A_PAGE = 50
_FIRST_TOKENS = 12
"""How many tokens the profile shows; a separate page shows all."""
_MAX_SESSIONS = 50
_PORT = re.compile(r"[1-9][0-9]{3,4}")


def get(context: Context, params: Params) -> Content:
    """Return the caller's own data, with the current browser first among their browsers."""
    user, kept = users.profile(context, params), tokens.filter_by_name(context, "")
    browsers = sorted(sessions.list_all(context, params).records, key=lambda each: not each.current)
    return {
        "user": user,
        "seen": _mark(user),
        "preferences": preferences.get(context, params),
        "mails": queue.is_on(context.transaction),
        "factors": factors.overview(context),
        "least": passwords.least(context.transaction, context.author.user_id),
        "identities": identities.list_all(context, params).records,
        "passkeys": passkeys.list_all(context, params).records,
        "tokens": kept[:_FIRST_TOKENS],
        "tokens_total": len(kept),
        "names": projects.names(context),
        "sessions": [(each, browser_name(each.agent)) for each in browsers[:_MAX_SESSIONS]],
        "sessions_left": max(0, len(browsers) - _MAX_SESSIONS),
        "choices": choices(
            params, "/profile", "project", projects.filter_by_name(context, search_text(params, "project"))
        ),
    }


def token_request(context: Context, params: Params) -> Content:
    """Return the program that asks for a token, as the address says, or None if it cannot be answered."""
    asked = params.query
    port = asked.get("port", "")
    request = TokenRequest(
        challenge=asked.get("challenge", ""),
        note=asked.get("note", "")[: tokens.MAX_NOTE_LENGTH],
        port=int(port) if _PORT.fullmatch(port) else 0,
        state=asked.get("state", ""),
    )
    return {
        "asked": request if token_requests.is_valid(request) else None,
        "days": token_requests.lifetime(context.transaction),
        "query": urlencode(asked),
    }


def list_tokens(context: Context, params: Params) -> Content:
    """Return a page of the caller's tokens."""
    own_tokens = tokens.filter_by_name(context, search_text(params, "q"))
    return {
        "lines": lines(params, "/profile/tokens", own_tokens, _ON_A_PAGE),
        "names": projects.names(context),
    }


def list_feeds(context: Context, params: Params) -> Content:
    """Return the caller's feeds, and the list that they came from to subscribe to, if any."""
    names, asked = projects.names(context), params.query
    inside = asked.get("project", "")
    project_id = int(inside) if inside.isdecimal() and inside.isascii() and int(inside) in names else None
    kind = asked.get("kind", "") if asked.get("kind") in feeds.KINDS else ""
    return {
        "feeds": feeds.list_all(context, params).records,
        "names": names,
        "wanted": Feed(
            kind=kind, project_id=project_id, query=asked.get("q", "") if kind == "tickets" else ""
        ),
    }


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if the caller's profile has changed since they saw it."""
    row_locks.locked(context, User, params, removes=False)
    edit_conflicts.check(saw, _mark(users.profile(context, params)))


def _mark(user: User) -> str:
    return edit_conflicts.mark(user.name, user.job, user.website)
