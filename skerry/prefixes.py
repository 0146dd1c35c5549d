"""Prefixes: the path below which the service lives, such as ``/tracker``; empty at the root of its host.

Inside the program, every path begins at the root of the service. The prefix is removed from a request before
anything looks at its path, and added to what is sent, in one place for each kind of address: absolute ones
begin with ``base``, which ends with the prefix; pages, stored texts, redirects and cookies get it here.
"""

import re

_PREFIX = re.compile(r"(?:/[A-Za-z0-9_.~-]+)+")
_DOTS = re.compile(r"/\.{1,2}(?:/|$)")
MAX_LENGTH = 200

PLACES = frozenset(
    (
        *(
            "account",
            "activity",
            "administration",
            "api",
            "applicants",
            "attachments",
            "avatars",
            "bins",
            "bulk_edit",
            "bulk_edits",
            "board",
        ),
        *(
            "dashboard",
            "events",
            "feeds",
            "health",
            "hooks",
            "imports",
            "invitations",
            "login",
            "mail",
            "mcp",
        ),
        *("menu", "metrics", "milestones", "notifications", "openapi", "openapi-xml", "password-reset"),
        *("people", "preferences", "profile", "projects", "query", "removals", "sending", "set-up"),
        *("sign-in", "sign-out", "sign-up", "spam-removals", "static", "tickets", "tokens", "unsubscribe"),
        *("users", "verification"),
        "welcome",
    )
)
"""The first words of paths within the service: no prefix begins with one, so that both can be told apart."""

# A tag as templates and the HTML cleaner write it; all others are escaped in texts.
_TAG = re.compile(r"""<[a-zA-Z][\w-]*+(?:\s++[\w:.-]++(?:="[^"]*+")?+)*+\s*+/?>""")
_ADDRESS = re.compile(
    r"""(?<=\s)((?:href|src|action|formaction|data-(?:mentions|passkey|preview|tickets))=")(/(?![/\\])[^"]*+)"""
)


def is_prefix(text: str) -> bool:
    """Return whether a text is the prefix of a service; the empty one is that of the root."""
    if not text:
        return True
    is_path = len(text) <= MAX_LENGTH and _PREFIX.fullmatch(text) and not _DOTS.search(text)
    return bool(is_path) and text.split("/")[1] not in PLACES


def prefix_of(base: str) -> str:
    """Return the prefix at the end of the absolute address of a service."""
    _, slash, path = base.partition("://")[2].partition("/")
    return f"{slash}{path}"


def outside(path: str, prefix: str) -> str:
    """Return a path of the service as others see it; one that has the prefix already stays as it is."""
    return path if path == prefix or path.startswith(f"{prefix}/") else f"{prefix}{path}"


def inside(path: str, prefix: str) -> str:
    """Return the path within the service; a proxy may have removed the prefix already."""
    return path[len(prefix) :] if prefix and (path == prefix or path.startswith(f"{prefix}/")) else path


def in_html(html: str, prefix: str) -> str:
    """Return HTML in which every address that begins at the root of the service has the prefix."""
    if not prefix:
        return html

    def address(match: re.Match[str]) -> str:
        return f"{match[1]}{outside(match[2], prefix)}"

    def tag(match: re.Match[str]) -> str:
        return _ADDRESS.sub(address, match[0]) if '="/' in match[0] else match[0]

    return _TAG.sub(tag, html)
