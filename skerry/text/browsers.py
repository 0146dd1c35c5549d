"""Names of browsers."""

import re

# A User-Agent names several browsers; the first match in this order is the actual one.
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


def browser_name(agent: str) -> str:
    """Return a browser's name and system in words, or its User-Agent."""
    browser = next((name for name in _BROWSERS if f"{name}/" in agent), "")
    system = next((said for name, said in _SYSTEMS.items() if name in agent), "")
    if not browser:
        return re.sub(r"/.*", "", agent)[:40]
    return " · ".join(filter(None, (_NAMES.get(browser, browser), system)))
