"""Push events as the web hooks of forges send them: their signatures and their commits."""

import hmac
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from skerry.text.changed_files import MAX_BYTES, Change
from skerry.text.characters import one_line, replace_invalid

MAX_SIZE = 25 * 1024 * 1024
"""The maximum size of a push in bytes, which is that of GitHub."""

MAX_MESSAGE = 1 << 20
"""The maximum size of the message of a commit in bytes, as of every text."""

_MAX_NAME = 200
_MAX_EMAIL = 254
_MAX_TITLE = 180
# Of SHA-1 or SHA-256.
_REVISION = re.compile("[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")


class _Headers(NamedTuple):
    """The names of the headers of a forge: of the kind of event, and of its signature or secret."""

    event: tuple[str, ...]
    signature: tuple[str, ...]


_SIGNED_LIKE_GITHUB = "x-hub-signature-256"

KINDS: Mapping[str, _Headers] = {
    "github": _Headers(("x-github-event",), (_SIGNED_LIKE_GITHUB,)),
    "gitlab": _Headers(("x-gitlab-event",), ("x-gitlab-token",)),
    "forgejo": _Headers(
        ("x-forgejo-event", "x-gitea-event"),
        ("x-forgejo-signature", "x-gitea-signature", _SIGNED_LIKE_GITHUB),
    ),
    "gitea": _Headers(("x-gitea-event",), ("x-gitea-signature", _SIGNED_LIKE_GITHUB)),
}
"""The forges by name."""

HEADERS = frozenset(name for kind in KINDS.values() for names in kind for name in names)
"""The headers that forges send, in lower case."""


class SentPush(NamedTuple):
    """A request of a forge as it was sent: the body, and those of its headers that matter."""

    raw: bytes
    headers: Mapping[str, str]


class Commit(NamedTuple):
    """A commit of a push; ``authors`` are names and addresses, the committer before the author."""

    revision: str
    title: str
    message: str
    changed_at: datetime | None
    changes: list[Change]
    authors: list[tuple[str, str]]


class ReadPush(NamedTuple):
    """The commits of a push, oldest first, and how many more there were; or why it has none."""

    commits: list[Commit]
    missing: int = 0
    reason: str = ""


def is_signed(kind: str, sent: SentPush, secret: str) -> bool:
    """Return whether a request proves that its sender knows the secret."""
    given = next((sent.headers[name] for name in KINDS[kind].signature if name in sent.headers), "")
    if kind == "gitlab":
        return hmac.compare_digest(given.encode(), secret.encode())
    expected = hmac.digest(secret.encode(), sent.raw, "sha256").hex()
    return hmac.compare_digest(given.removeprefix("sha256=").lower().encode(), expected.encode())


def read(kind: str, sent: SentPush, most: int) -> ReadPush:
    """Return the newest commits of a request, at most ``most``; raises ValueError if it cannot be read."""
    payload = _payload(sent.raw)
    event = _event(kind, sent, payload)
    reference = _text(payload, "ref")
    if event != "push":
        return ReadPush([], reason="ping" if event == "ping" else "Only pushes are read")
    if not reference.startswith("refs/heads/"):
        return ReadPush([], reason="Only branches are read, not tags")
    if _text(payload, "after").strip("0") == "":
        return ReadPush([], reason="The branch was deleted")
    if payload.get("before") == payload.get("after"):
        # So Gitea and Forgejo try a hook.
        return ReadPush([], reason="ping")
    return _commits(payload, most)


def _payload(raw: bytes) -> dict[str, Any]:
    """Return the JSON of a body, which GitHub may send as the field of a form."""
    if raw.startswith(b"payload="):
        raw = parse_qs(raw, keep_blank_values=True, max_num_fields=10)[b"payload"][0]
    try:
        payload = json.loads(raw)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(payload, dict):
        raise ValueError("no object")  # noqa: TRY004 - what is wrong is the body
    return payload


def _event(kind: str, sent: SentPush, payload: dict[str, Any]) -> str:
    """Return the kind of event: ``push``, ``ping`` or another word."""
    if kind == "gitlab":
        # Hooks of a whole server have another header.
        return _text(payload, "object_kind") or _text(payload, "event_name")
    return next((sent.headers[name] for name in KINDS[kind].event if name in sent.headers), "").lower()


def _commits(payload: dict[str, Any], most: int) -> ReadPush:
    listed = payload.get("commits")
    said = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if said and said[0].get("id") == payload.get("after"):
        # Gitea and Forgejo send the newest first.
        said.reverse()
    totals = (payload.get(name) for name in ("total_commits_count", "total_commits"))
    total = max([len(said), *(number for number in totals if isinstance(number, int))])
    read = [commit for commit in map(_commit, said[-most:]) if commit]
    return ReadPush(read, max(0, total - len(read)))


def _commit(said: dict[str, Any]) -> Commit | None:
    """Return a commit; None if it has no valid id, or a message that is too long."""
    revision, message = _text(said, "id").strip(), replace_invalid(_text(said, "message"))
    if not _REVISION.fullmatch(revision) or len(message.encode("utf-8", "replace")) > MAX_MESSAGE:
        return None
    authors = [*_people(said)]
    subject = one_line(message.strip().partition("\n")[0])
    by = f"{authors[-1][0]}: " if authors and authors[-1][0] else ""
    title = f"{by}{subject}"
    return Commit(
        revision=revision,
        title=title if len(title) <= _MAX_TITLE else f"{title[: _MAX_TITLE - 1]}…",
        message=message,
        changed_at=_moment(_text(said, "timestamp")),
        changes=_changes(said),
        authors=authors,
    )


def _people(said: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for role in ("committer", "author"):
        person = said.get(role)
        if isinstance(person, dict):
            name, email = (replace_invalid(_text(person, field)) for field in ("name", "email"))
            yield one_line(name)[:_MAX_NAME], email.strip()[:_MAX_EMAIL]


def _changes(said: dict[str, Any]) -> list[Change]:
    """Return the changed files, as many as a changeset may have."""
    changes: list[Change] = []
    room = MAX_BYTES
    for code, name in (("A", "added"), ("M", "modified"), ("D", "removed")):
        paths = said.get(name)
        for path in paths if isinstance(paths, list) else ():
            if not isinstance(path, str) or not path.strip():
                continue
            changes.append((code, replace_invalid(f"/{path}")))
            room -= len(changes[-1][1].encode("utf-8", "replace"))
            if room < 0:
                return changes[:-1]
    return changes


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _text(said: dict[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""
