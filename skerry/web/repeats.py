"""Requests that come again: with an Idempotency-Key the first answer is given, and nothing is done twice."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import falcon

from skerry.errors import Invalid
from skerry.store import repeats as store
from skerry.store.repeats import Kept
from skerry.tracker.visit import NewFile, Visit
from skerry.web.answer import Reply
from skerry.web.site import browser
from skerry.wire.tree import Tree

_LONGEST_KEY = 255


def key_of(request: falcon.Request) -> str | None:
    """Give the key under which a request may be repeated; raises Invalid if it cannot be used."""
    key = request.get_header("Idempotency-Key") if request.method == "POST" else None
    if key is not None and not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        raise Invalid(f"Idempotency-Key must have 1 to {_LONGEST_KEY} printable ASCII characters")
    return key


def once(visit: Visit, key: str, fingerprint: str, work: Callable[[], Reply]) -> Reply:
    """Do the work and keep its answer, or give the answer that was kept.

    Raises Invalid if the key belongs to another request.
    """
    transaction, user_id = visit.transaction, visit.author.user_id
    kept = store.find(transaction, user_id, key)
    if kept is None:
        reply = work()
        store.keep(
            transaction,
            user_id,
            key,
            Kept(fingerprint, reply.status, reply.content_type, reply.location, reply.body.decode()),
        )
        return reply
    if kept.fingerprint != fingerprint:
        raise Invalid("Idempotency-Key was used for another request already")
    return Reply(kept.status, kept.content_type, kept.body.encode(), kept.location)


def key_of_form(slip: Mapping[str, Any], mark: str) -> str | None:
    """Give the key of a form of ours, None without one; one that was filled in anew is another form."""
    key = slip.get("_key")
    return f"form {key} {mark[:16]}" if isinstance(key, str) and browser.KEY.fullmatch(key) else None


def mark_of(method: str, address: str, tree: Tree, files: tuple[NewFile, ...]) -> str:
    """Give what tells a request from others: method, address, contents; files by name, size and checksum."""
    named = [(file.filename, file.size, file.checksum) for file in files]
    said = json.dumps([method, address, tree, named], sort_keys=True, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
