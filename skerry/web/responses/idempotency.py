"""Idempotency: a request repeated with the same key returns the first response and changes nothing."""

import hmac
import json
from collections.abc import Callable, Mapping

from falcon.asgi import Request

from skerry.errors import Invalid, SerializationFailure, SkerryError, Unavailable
from skerry.store.auth import idempotency as store
from skerry.store.auth.idempotency import StoredResponse
from skerry.tracker.access import Permission
from skerry.tracker.context import Context
from skerry.web.auth import browser
from skerry.web.requests import parameters
from skerry.web.requests.drafting import Submission
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.responses.answer import Reply
from skerry.web.route import Route

_MAX_KEY_LENGTH = 255
# Every change of a ticket is a comment, so a repeated request would add a second one.
_KEYED = ("POST", "PUT")


def heeds_keys(route: Route) -> bool:
    """Return whether a route stores responses by idempotency key."""
    return route.method in _KEYED and not _is_never_stored(route) and not route.confirms_password


def _is_never_stored(route: Route) -> bool:
    # Responses with one-time secrets are not stored, and dry runs need no key. Requests by guests contain a
    # password with a code that works only once.
    return route.once or route.reads_only or route.permission is Permission.CAPABILITY_LINK


def key_of(request: Request) -> str | None:
    """Return the idempotency key of a request; raises Invalid for an invalid key."""
    key = request.get_header("Idempotency-Key") if request.method in _KEYED else None
    if key is not None and not (0 < len(key) <= _MAX_KEY_LENGTH and key.isascii() and key.isprintable()):
        raise Invalid(f"Idempotency-Key must have 1 to {_MAX_KEY_LENGTH} printable ASCII characters")
    return key


def once(context: Context, key: str, fingerprint: str, work: Callable[[], Reply]) -> Reply:
    """Run the use case and store its response, or return the stored one.

    Raises Invalid if the key was used for another request, SerializationFailure if that is still running.
    """
    transaction, user_id = context.transaction, context.author.user_id
    # A stored timestamp may be in the future if the clock has been set back.
    timestamp = transaction.now
    stored = store.find(transaction, user_id, key)
    if stored is None:
        try:
            reply = work()
        except SkerryError as failure:
            # A duplicate sent at the same time may have waited for the first and conflicted with its result.
            is_over = isinstance(failure, SerializationFailure | Unavailable)
            if not is_over and store.find(transaction, user_id, key):
                raise SerializationFailure from failure
            raise
        store.keep(
            transaction,
            user_id,
            key,
            StoredResponse(
                fingerprint, reply.status, reply.content_type, reply.location, reply.body.decode()
            ),
            timestamp,
        )
        return reply
    if stored.fingerprint != fingerprint:
        raise Invalid("Idempotency-Key was already used for another request")
    return Reply(stored.status, stored.content_type, stored.body.encode(), stored.location)


def key_and_fingerprint(routed: RoutedRequest, submission: Submission) -> tuple[str | None, str]:
    """Return the idempotency key of a request, or None, and its fingerprint.

    Without a key the fingerprint is empty. Raises Invalid for an invalid key.
    """
    request, route = routed.request, routed.route
    given = key_of(request)
    if _is_never_stored(route) or route.is_dry_run(submission.params):
        return None, ""
    if given is None and "_key" not in submission.hidden_fields:
        return None, ""
    secret = browser.secret_of(request) if routed.format is None else ""
    if route.confirms_password and not secret:
        # An unkeyed fingerprint in the database would allow guesses of the password to be verified.
        return None, ""
    fingerprint = _fingerprint(routed, submission, secret)
    return given or _key_of_form(submission.hidden_fields, fingerprint), fingerprint


def _key_of_form(hidden_fields: Mapping[str, object], fingerprint: str) -> str | None:
    """Return the key of one of the site's forms, or None if it has none."""
    key = hidden_fields.get("_key")
    return f"form {key} {fingerprint[:16]}" if isinstance(key, str) and browser.KEY.fullmatch(key) else None


def _fingerprint(routed: RoutedRequest, submission: Submission, secret: str) -> str:
    """Return the fingerprint of a request: method, address with the relevant query, contents.

    Files are included by name, size and checksum. The fingerprint of a form is keyed with the browser's
    secret, so that its contents, such as a password, cannot be guessed from the database.
    """
    route, params = routed.route, submission.params
    named = [(file.filename, file.size, file.checksum) for file in params.files]
    beside = parameters.extra_params_in_query(route, params)
    address = f"{routed.info.path}.{routed.format.name if routed.format else 'html'}"
    parts = [route.method, address, submission.tree, named, *([beside] if beside else ())]
    content = json.dumps(parts, sort_keys=True, default=str)
    return hmac.digest(secret.encode(), content.encode("utf-8", "surrogatepass"), "sha256").hex()
