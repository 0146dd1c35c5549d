"""Other shapes of GitHub's data as the objects of its REST interface.

These are the records of its archives ("Export account data"), in which people, labels and milestones are
addresses, and what GraphQL and ``gh issue list --json`` give, whose names are in camel case.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from skerry.transfer.sources.fields import Fields
from skerry.transfer.sources.report import Report

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_REVIEWS = frozenset(
    {"pull_request_review", "pull_request_review_comment", "pull_request_review_thread", "commit_comment"}
)


class Shapes:
    """Brings objects into the shape of answers; milestones come before what names them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._milestones: dict[str, dict[str, Any]] = {}
        self._records = {
            "issue": self._issue,
            "attachment": self._attachment,
            "issue_comment": self._comment,
            "issue_event": self._event,
            "milestone": self._milestone,
            "pull_request": self._merge,
            "repository": self._repository,
            "user": self._user,
        }

    def answers(self, item: Fields) -> Iterator[Fields]:
        """Yield the answers that an object stands for; those in the shape of answers stay as they are."""
        said = item.tree.get("type")
        kind = said if isinstance(said, str) else ""
        if data := item.tree.get("data"):
            for number, issue in enumerate(_issues(data), 1):
                yield from self._camel(Fields(f"{item.place}, issue {number}", issue))
        elif item.has("createdAt"):
            yield from self._camel(item)
        elif kind in self._records and item.has("url"):
            yield from self._records[kind](item)
        elif kind in _REVIEWS:
            yield Fields(item.place, {"pull_request_url": "", "submitted_at": ""})
        else:
            yield item

    def _issue(self, item: Fields) -> Iterator[Fields]:
        people = item.texts("assignees") or list(filter(None, [item.text("assignee", "")]))
        tree = {
            "type": None,
            "number": _tail(item.text("url")),
            "state": "closed" if item.text("closed_at", "") else "open",
            "user": _person(item, "user"),
            "assignee": None,
            "assignees": [{"login": _tail(each)} for each in people],
            "labels": [_tail(each) for each in item.texts("labels")],
            "milestone": self._named_milestone(item),
            "reactions": {"total_count": len(item.list("reactions"))},
        }
        yield Fields(item.place, {**item.tree, **tree})

    def _named_milestone(self, item: Fields) -> dict[str, Any] | None:
        said = item.text("milestone", "")
        return self._milestones.get(said, {"title": _tail(said)}) if said else None

    def _comment(self, item: Fields) -> Iterator[Fields]:
        tree = {"id": item.text("url"), "issue_url": _issue_of(item), "user": _person(item, "user")}
        reactions = {"total_count": len(item.list("reactions"))}
        yield Fields(item.place, {**item.tree, **tree, "reactions": reactions})

    def _attachment(self, item: Fields) -> Iterator[Fields]:
        issue = item.text("issue_comment", "") or _issue_of(item)
        yield Fields(item.place, {**item.tree, "issue_url": issue, "user": _person(item, "user")})

    def _event(self, item: Fields) -> Iterator[Fields]:
        tree: dict[str, Any] = {
            "id": item.text("url"),
            "event": item.text("event"),
            "issue_url": _issue_of(item),
            "actor": _person(item, "actor"),
            "created_at": item.tree.get("created_at"),
            "commit_id": item.tree.get("commit_id"),
            "assignee": _person(item, "subject"),
            "label": {"name": item.text("label_name", "") or _tail(item.text("label", ""))},
            "milestone": self._named_milestone(item),
            "rename": {"from": item.tree.get("title_was"), "to": item.tree.get("title_is")},
        }
        yield Fields(item.place, tree)

    def _milestone(self, item: Fields) -> Iterator[Fields]:
        tree = {**item.tree, "number": 1, "open_issues": 0, "creator": _person(item, "user")}
        self._milestones[item.text("url")] = tree
        yield Fields(item.place, tree)

    def _merge(self, item: Fields) -> Iterator[Fields]:
        address = item.text("url")
        yield Fields(item.place, {"url": address, "number": _tail(address), "head": "", "base": ""})

    def _repository(self, item: Fields) -> Iterator[Fields]:
        address = item.text("url")
        tree = {
            "full_name": "/".join(address.split("/")[-2:]),
            "html_url": address,
            "archived": item.tree.get("is_archived"),
        }
        yield Fields(item.place, {**item.tree, **tree})
        yield from item.several("labels")

    def _user(self, item: Fields) -> Iterator[Fields]:
        # Only verified addresses make somebody a person of here.
        emails = [each for each in item.several("emails") if each.truth("verified")]
        emails.sort(key=lambda each: not each.truth("primary"))
        found = next((each.text("address") for each in emails), "")
        email = "" if found.endswith("@users.noreply.github.com") else found
        yield Fields(item.place, {"login": item.text("login"), "name": item.tree.get("name"), "email": email})

    def _camel(self, item: Fields) -> Iterator[Fields]:
        """Yield an issue of GraphQL with its comments."""
        tree = _snake(item.tree)
        comments = tree.pop("comments", None) or []
        tree |= {
            "user": tree.pop("author", None),
            "state": item.text("state", "").lower(),
            "state_reason": item.text("stateReason", "").lower(),
        }
        if "/pull/" in item.text("url", ""):
            tree["pull_request"] = {}
        issue = Fields(item.place, tree)
        yield issue
        for person in (item.one("author"), *issue.several("assignees")):
            if person and person.text("name", ""):
                yield Fields(person.place, {"login": person.text("login"), "name": person.text("name")})
        for each in Fields(item.place, {"comments": comments}).several("comments"):
            said = {"issue_url": item.tree.get("url"), "body": "", "user": each.tree.get("author")}
            yield Fields(each.place, {**said, **each.tree})
        counted = item.tree.get("comments")
        if isinstance(counted, dict):
            total = Fields(item.place, counted).number_or_none("totalCount") or 0
            number = str(item.tree.get("number"))
            missing = max(total - len(comments), 0)
            self._report.lose("{n} {comment|comments} that the answers do not have", f"#{number}", missing)


def _issues(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the issues anywhere in an answer of GraphQL."""
    if isinstance(data, list):
        for each in data:
            yield from _issues(each)
    elif isinstance(data, dict):
        if "number" in data and "createdAt" in data:
            yield data
        else:
            yield from _issues(list(data.values()))


def _snake(value: Any) -> Any:
    """Return a value with the names of the REST interface, and the lists of GraphQL as lists."""
    if isinstance(value, list):
        return [_snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("nodes"), list):
        return _snake(value["nodes"])
    if isinstance(groups := value.get("reactionGroups"), list):
        value = {**value, "reactions": {"total_count": sum(map(_reactions, groups))}}
    return {_CAPITAL.sub("_", name).lower(): _snake(each) for name, each in value.items()}


def _reactions(group: Any) -> int:
    users = group.get("users") or group.get("reactors") if isinstance(group, dict) else None
    count = users.get("totalCount") if isinstance(users, dict) else None
    return count if isinstance(count, int) else 0


def _tail(address: str) -> str:
    return unquote(address.rpartition("/")[2])


def _person(item: Fields, name: str) -> dict[str, str] | None:
    said = item.text(name, "")
    return {"login": _tail(said)} if said else None


def _issue_of(item: Fields) -> str:
    return item.text("issue", "") or item.text("pull_request")
