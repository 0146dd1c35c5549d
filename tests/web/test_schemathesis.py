"""Random requests generated from the OpenAPI document: each gets a documented response."""

import json
import re
from functools import cache

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from skerry.resources import examples
from skerry.resources.auth import Passkey
from skerry.resources.bulk_edits import AccountBulkEdit
from skerry.resources.links import TicketLink
from skerry.resources.moving_in import Import
from skerry.resources.people import Membership
from skerry.tracker.access import Permission
from skerry.web.routes.table import ROUTES
from skerry.wire import formats
from skerry.wire.record import UNSET, changed, fields_of
from tests.conftest import PASSWORD, build_world, untroubled
from tests.support import openapi_check
from tests.support.client import Answer, Upload, basic

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@schemathesis.serializer("message/rfc822")
def as_mail(_context, value):
    """Return a random value as what a mail server would hand over."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


UPLOAD = Upload("file", b"title\nLeak\n", "roof.csv")
"""What an import is made of."""

LINES = pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")


@pytest.fixture
def ada_and_known(request, sqlite_instance, route):
    """An administrator of an account that has one of everything, and what may stand in its paths.

    The account is a new one, unless the route only reads.
    """
    with untroubled(sqlite_instance[1]):
        reads = route.method == "GET"
        yield request.getfixturevalue("for_readers") if reads else furnished(*sqlite_instance)


@pytest.fixture(scope="module")
def for_readers(sqlite_instance):
    return furnished(*sqlite_instance)


def furnished(instance, log):
    ada = build_world(instance, log).people["ada"]
    return ada, furnish(ada)


def furnish(client):
    """Make one of everything, and return for each path of the routing table what may stand in it."""
    known = {"user": client.user_id, "token": client.headers["X-ServiceToken"], "version": 1}
    for route in ROUTES:
        # Only an authenticator makes a passkey.
        if route.location and route.draft and route.draft is not Passkey:
            path = route.path.format_map(known_in(route.path, known))
            body = formats.JSON.item(free(route.draft, client, path))
            sent = {"data": UPLOAD} if route.draft is Import else {"raw": body, "kind": "application/json"}
            answer = speaker(client, route).send("POST", path, **sent)
            assert answer.status in (200, 201), answer.body
            made = answer.headers["location"].partition(client.host)[2].removesuffix(".json")
            known.update(zip(endpoints(route.location).values(), values(route.location, made), strict=True))
    return {path: known_in(path, known) for path in openapi_check.DOCUMENT["paths"]}


def speaker(client, route):
    """Return somebody as he has to come: what is done in person needs a password."""
    if route.permission not in (Permission.IN_PERSON, Permission.ADMINISTER):
        return client
    return client.speaking(**basic(client.email, PASSWORD))


def free(kind, client, path):
    """Return a draft that names nothing else which would have to exist, but who sends it, and a ticket."""
    names = [field.name for field in fields_of(kind) if field.name.endswith("_id")]
    own = {"user_id": client.user_id} if kind is Membership else {}
    if kind is AccountBulkEdit:
        own = {"query": "all"}
    if kind is TicketLink:
        other = client.post(f"{path.partition('/tickets')[0]}/tickets", {"ticket": {"title": "Linked"}})
        own = {"ticket": str(other.item["number"])}
    return changed(examples.writable_example(kind), **(dict.fromkeys(names, UNSET) | own))


def endpoints(path):
    """Return the placeholders of a path by name, each with what it is the number of."""
    return {name: kind.removesuffix("s") for kind, name in re.findall(r"/([\w-]+)/{(\w+)}", path)}


def values(template, path):
    """Return what stands in a path at the placeholders of its template."""
    return re.fullmatch(re.sub(r"{\w+}", "([^/]+)", template), path).groups()


def known_in(path, known):
    return {name: known[kind] for name, kind in endpoints(path).items() if kind in known}


WHOLE = "/described.json"


@cache
def schema(application):
    """Return the description of both formats, which takes long to read."""

    async def without_lifespan(scope, receive, send):
        # A client of schemathesis starts and stops an application with each request.
        if scope["type"] == "http" and scope["path"] == WHOLE:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": json.dumps(openapi_check.DOCUMENT).encode()})
        elif scope["type"] == "http":
            await application(scope, receive, send)
        else:
            for _ in range(2):
                await send({"type": f"{(await receive())['type']}.complete"})

    return schemathesis.openapi.from_asgi(WHOLE, without_lifespan)


def run(client, route, known, most, *, same):
    """Send random requests to one route, to what exists and to what does not."""
    operation = schema(client.application)[route.path][route.method]
    proof = speaker(client, route).headers
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    cases = [operation.as_strategy(mode, path_parameters=known[route.path]) for mode in modes]

    @settings(
        max_examples=most,
        deadline=None,
        database=None,
        derandomize=same,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(*cases, operation.as_strategy()), st.sampled_from(sorted(openapi_check.KINDS)))
    def ask(case, accepted):
        headers = {"Host": client.host, "Accept": accepted, "Accept-Encoding": "identity"} | proof
        response = case.call_and_validate(headers=headers, checks=CHECKS)
        sent = {name.lower(): values[0] for name, values in response.headers.items()}
        openapi_check.check(route.method, route.path, Answer(response.status_code, sent, response.content))

    ask()


@LINES
def test_random_requests_get_the_answers_that_are_described(ada_and_known, route):
    ada, known = ada_and_known
    # To make a request takes ten times as long as to answer it.
    run(ada, route, known, 2, same=True)


@pytest.mark.fuzz
@LINES
def test_many_random_requests_get_the_answers_that_are_described(ada_and_known, route):
    ada, known = ada_and_known
    run(ada, route, known, 300, same=False)
