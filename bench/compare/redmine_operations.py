"""What Redmine is asked beside the product: the same deeds in its own words."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from bench.compare.beside_data import Told
from bench.compare.beside_operations import Ask, SignIn, get, long_rounds
from bench.load import Request
from bench.operations import MEMBER, PER_PAGE, TEXT, TICKET, TITLE, WORD

AIMS = {"list": 150, "list-later": 150, "ticket": 50, "search": 50, "filter": 50, "create": 30, "update": 30}
"""How many times as many the product should do."""

PROJECT = "/projects/sample"
NEWEST_FIRST = "sort=updated_on:desc&status_id=*"
SEARCHED = f"q={quote(WORD)}&issues=1"

Read = tuple[str, Mapping[bytes, int]]
"""An address, and the pieces that its answer has."""


def sign_ins(our_token: str, key: str, seconds: int) -> tuple[SignIn, ...]:
    """Return the one way: a token, which Redmine calls a key."""
    return (long_rounds(our_token, {"X-Redmine-API-Key": key}, seconds),)


def asks(headers: Mapping[str, str], told: Told, made: Mapping[str, Any]) -> dict[str, tuple[Ask, ...]]:
    """Return what it is asked; ``made`` has the numbers that its states, people and tags were given."""
    lists = {
        "list": _list(1, told.tickets, told.newest),
        "list-later": _list(told.page, told.tickets, told.later),
        "filter": _list(1, told.with_word, told.newest_with_word, f"&description=~{quote(WORD)}"),
        "search": _search(told),
    }
    reads = {**lists, **_pages(told), "ticket": _ticket(told)}
    asked = {name: get(headers, *read) for name, read in reads.items()}
    writes = {"create": _create(headers, made), "update": _update(headers, told, made)}
    return {name: (ask,) for name, ask in {**asked, **writes}.items()}


def _list(page: int, total: int, title: str, more: str = "") -> Read:
    path = f"{PROJECT}/issues.json?limit={PER_PAGE}&page={page}&{NEWEST_FIRST}{more}"
    return path, {b'"subject":': PER_PAGE, f'"total_count":{total}'.encode(): 1, title.encode(): 1}


def _search(told: Told) -> Read:
    """Ask its search, whose answer has the issues opened last, with their first texts."""
    counted = f'"total_count":{told.with_word}'.encode()
    path = f"{PROJECT}/search.json?limit={PER_PAGE}&{SEARCHED}"
    return path, {b'"type":"issue': PER_PAGE, counted: 1, told.latest_with_word.encode(): 1}


def _ticket(told: Told) -> Read:
    return f"/issues/{TICKET}.json?include=journals", {b'"notes":': 2, told.comment.encode(): 1}


def _pages(told: Told) -> dict[str, Read]:
    newest, found = told.newest.encode(), told.latest_with_word.encode()
    rows = {b'<tr id="issue-': PER_PAGE, _page_of(told.tickets): 1, newest: 1}
    return {
        "list-page": (f"{PROJECT}/issues?set_filter=1&{NEWEST_FIRST}", rows),
        "ticket-page": (f"/issues/{TICKET}", {told.comment.encode(): 1}),
        "search-page": (f"{PROJECT}/search?{SEARCHED}", {_page_of(told.with_word): 1, found: 1}),
    }


def _page_of(total: int) -> bytes:
    """Return what Redmine says below a first page, which tells that it has found as many as there are."""
    return f"(1-{PER_PAGE}/{total})".encode()


def _create(headers: Mapping[str, str], made: Mapping[str, Any]) -> Ask:
    issue = {
        "project_id": "sample",
        "subject": TITLE,
        "description": TEXT,
        "assigned_to_id": made["people"][MEMBER],
        "custom_fields": [{"id": made["tags"], "value": ["tag1", "tag2"]}],
    }
    pieces = {f'"subject":"{TITLE}"'.encode(): 1, b'"assigned_to":': 1, b'["tag1","tag2"]': 1}
    return Ask(_sent(headers, "POST", "/issues.json", issue, 1), pieces, status=201)


def _update(headers: Mapping[str, str], told: Told, made: Mapping[str, Any]) -> Ask:
    """Change an issue; the answer has no words, so that the newest issue tells whether it was done."""
    issue = {"subject": "Changed @unique@", "status_id": made["states"]["hold"], "notes": TEXT}
    changed = {b'"subject":"Changed ': 1, b'"name":"hold"': 1}
    then = get(headers, f"{PROJECT}/issues.json?limit=1&{NEWEST_FIRST}", changed)
    return Ask(_sent(headers, "PUT", "/issues/@number@.json", issue, told.tickets), {}, status=204, then=then)


def _sent(
    headers: Mapping[str, str], method: str, path: str, issue: Mapping[str, Any], highest: int
) -> Request:
    body = json.dumps({"issue": issue})
    return Request(method, path, body, {**headers, "Content-Type": "application/json"}, highest)
