"""The profile: what people say of themselves, their tokens, and the browsers in which they are signed in."""

import re
from typing import Any

from skerry.tracker import projects, sessions, tokens, users
from skerry.tracker.visit import Ask, Visit

# A browser calls itself by the names of several; the first of these that stands there is its own.
_BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari")
_NAMES = {"Edg": "Edge", "OPR": "Opera"}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def shown(visit: Visit, ask: Ask) -> dict[str, Any]:
    """Give what callers may see and change of themselves."""
    return {
        "user": users.profile(visit, ask),
        "tokens": tokens.listed(visit, ask).records,
        "sessions": [(kept, browser_name(kept.agent)) for kept in sessions.listed(visit, ask).records],
        "projects": projects.listed(visit, ask).records,
    }


def browser_name(agent: str) -> str:
    """Give a browser's name and system in words, or what it calls itself."""
    browser = next((name for name in _BROWSERS if f"{name}/" in agent), "")
    system = next((said for name, said in _SYSTEMS.items() if name in agent), "")
    if not browser:
        return re.sub(r"/.*", "", agent)[:40]
    return " · ".join(filter(None, (_NAMES.get(browser, browser), system)))
