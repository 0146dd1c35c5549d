"""Sample commands: one for each operation and format."""

import shlex

from skerry.resources import examples
from skerry.web.openapi import parameters
from skerry.web.openapi.bodies import MEDIA_TYPES
from skerry.web.route import ResponseKind, Route
from skerry.wire import formats


def of(route: Route) -> list[dict[str, str]]:
    """Return curl commands for a route; ``$TRACKER`` is the URL of the account, ``$TOKEN`` a token."""
    if route.response_kind is ResponseKind.FILE:
        return [_sample("File", _curl(route, "", []))]
    if route.response_kind is ResponseKind.FEED:
        return [_sample("Feed", f'curl "$TRACKER{route.path.format_map(_examples(route))}.atom"')]
    return [_sample(name.upper(), _curl(route, f".{name}", _body(route, name))) for name in MEDIA_TYPES]


def file_field(route: Route) -> str:
    """Return the name of the form field for a route that takes a single file."""
    return route.path.rpartition("/")[2]


def _sample(label: str, source: str) -> dict[str, str]:
    return {"lang": "Shell", "label": label, "source": source}


def _curl(route: Route, extension: str, body: list[str]) -> str:
    method = [] if route.method == "GET" else [f"-X {route.method}"]
    path = route.path.format_map(_examples(route))
    address = f'"$TRACKER{path}{extension}"'
    return " ".join(["curl", *method, '-H "X-ServiceToken: $TOKEN"', *body, address])


def _examples(route: Route) -> dict[str, object]:
    return parameters.path_examples(route.path)


def _body(route: Route, form: str) -> list[str]:
    if route.takes_mail:
        return ["-H 'Content-Type: message/rfc822'", "--data-binary @message.eml"]
    if route.takes_push:
        signature = '-H "X-Hub-Signature-256: sha256=$SIGNATURE"'
        return ["-H 'X-GitHub-Event: push'", signature, "--json @push.json"]
    if route.draft is None:
        return [f"-F {file_field(route)}=@ada.png"] if route.files else []
    sent = formats.FORMATS[form].item(examples.writable_example(route.draft)).decode()
    return [f"-H 'Content-Type: {MEDIA_TYPES[form]}'", f"-d {shlex.quote(sent)}"]
