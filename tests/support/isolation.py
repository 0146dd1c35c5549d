"""An account with a private project, and those who may not see it, who ask all the same."""

import re
from dataclasses import dataclass
from functools import cache

from tests.support.client import TYPES, Client
from tests.support.route_matrix import ANONYMOUS, OTHER_ACCOUNT, OTHER_PROJECT, STRANGER, Site, TwoAccounts

OUTSIDE = "member of another account"
OUTSIDERS = (ANONYMOUS, STRANGER, OTHER_PROJECT, OTHER_ACCOUNT, OUTSIDE)

SECRET = re.compile(r"quartz(private|archived(?!public))", re.IGNORECASE)
EMAIL = re.compile(r"[\w.+-]+@\w[\w-]*", re.ASCII)
NOBODY = 987_654


@dataclass
class Isolation:
    """An account, its private project, and those who may not see it."""

    pair: TwoAccounts
    site: Site
    outsiders: dict[str, Client]

    @property
    def account(self):
        return self.pair.there

    @property
    def project(self):
        return f"/projects/{self.site.values['projects']}"

    def ask(self, who, route, values=None, *, method="", query="", **sent):
        """Let an outsider ask at a line's address, perhaps with other values in it."""
        path = self.site.path(route, **(values or {})) + query
        return ask(self.outsiders[who], method or route.method, path, **sent)


def ask(client, method, path, data=None, **sent):
    """Send a request whose answer differs from another's by what it says alone."""
    return client.send(method, path, data, **{"Accept": TYPES[client.format], "X-Request-Id": "same", **sent})


def seen(answer, *words):
    """Return all that an outsider sees of an answer, without the words that he asked for."""
    headers = {**answer.headers, **({"content-length": "…"} if words else {})}
    text = "\n".join([answer.body.decode(), *(f"{name}: {value}" for name, value in headers.items())])
    return answer.status, _any_of(words).sub("…", text) if words else text


@cache
def _any_of(words):
    """Return what finds any of some words, the longest first."""
    numbers = "|".join(str(word) for word in words if isinstance(word, int))
    others = sorted((re.escape(word) for word in words if isinstance(word, str)), key=len, reverse=True)
    # A number is only a whole one; a word may be part of an address.
    return re.compile("|".join([rf"\b(?:{numbers})\b"] * bool(numbers) + others))


def check_silent(answer):
    """Assert that an answer holds nothing of what is hidden, and no e-mail address."""
    _status, text = seen(answer)
    assert not SECRET.search(text), text
    assert not EMAIL.search(text), text
