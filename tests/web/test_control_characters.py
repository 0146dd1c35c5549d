"""NUL and other control characters anywhere in a request: a 4xx or no difference, never a failure.

The fixture ``world`` asserts after each test that the log holds no traceback.
"""

import json

import pytest

from skerry.web.routes.pages import PAGES
from skerry.web.routes.table import ROUTES
from tests.support.client import FORM, JSON
from tests.support.resources import PLACE
from tests.support.route_matrix import HTML, WRITING, Account, body_for, name_of, signed_in

pytestmark = pytest.mark.matrix("both")

NUL = "%00"
OTHERS = ("%01", "%1B", "%EF%BF%BE")
QUERIES = (
    "q",
    "state",
    "kind",
    "after",
    "name",
    "page",
    "limit",
    "before",
    "tag",
    "_method",
    "_token",
    "numbers",
)


@pytest.fixture
def site(world):
    return Account(world, "opal", ["public"]).sites["public"]


@pytest.fixture
def people(site, world):
    """Somebody signed in, and nobody."""
    return signed_in(site.account, world.people["eve"].email), world.people["nobody"]


@pytest.mark.parametrize("odd", [NUL, *OTHERS])
def test_a_control_character_in_any_segment_is_404(site, people, odd):
    paths = sorted({route.path for route in ROUTES} | {page.path for page in PAGES})
    # Each path with NUL, and with one of the others.
    for path in paths if odd == NUL else paths[OTHERS.index(odd) :: len(OTHERS)]:
        whole = PLACE.sub(lambda match: f"/{match[1]}/1", path).replace("{filename}", "a.txt")
        segments = whole.split("/")
        for place in range(1, len(segments)):
            damaged = "/".join([*segments[:place], segments[place] + odd, *segments[place + 1 :]])
            for client in people if odd == NUL else people[1:]:
                # What follows a dot in the last segment is a format.
                assert client.get(damaged, Accept=HTML).status in (404, 406), damaged
                assert client.post(f"{damaged}.{client.format}").status == 404, damaged


def test_nul_in_any_query_or_header_does_not_fail(site, people):
    names = QUERIES + tuple({name for route in ROUTES for name in route.extra_params})
    headers = dict.fromkeys(("If-None-Match", "Last-Event-ID", "Accept-Language", "Range"), "a\0")
    for route in [route for route in ROUTES if route.method == "GET"]:
        path = site.path(route)
        assert people[0].get(f"{path}?{'&'.join(f'{name}=a{NUL}' for name in names)}").status in (400, 404)
        assert people[0].get(path, Cookie="skerry=a\0; skerry-language=%00", **headers).status < 500, path


def test_nul_in_any_member_of_a_body_does_not_fail(site, people):
    for route in WRITING:
        sent = body_for(route, site)
        members = sent if isinstance(sent, dict) else {route.draft.singular if route.draft else "x": {}}
        for damaged in _damaged({**members, **dict.fromkeys(route.extra_params, "a")}):
            form = "&".join(_fields(damaged)).encode()
            for raw, kind in ((json.dumps(damaged).encode(), JSON), (form, FORM)):
                answer = people[0].send(route.method, f"{site.path(route)}.json", raw=raw, kind=kind)
                assert answer.status < 500, (name_of(route), raw)


def _damaged(tree):
    """Yield copies of a tree, each with NUL in one name or one value."""
    for name, value in tree.items():
        yield {**{key: each for key, each in tree.items() if key != name}, f"{name}\0": value}
        for other in _damaged(value) if isinstance(value, dict) else ["a\0", ["a\0"]]:
            yield {**tree, name: other}


def _fields(tree, start=""):
    for name, value in tree.items():
        path = f"{start}[{name}]" if start else name
        if isinstance(value, dict):
            yield from _fields(value, path)
        else:
            yield f"{path}={value[0] if isinstance(value, list) else value}".replace("\0", NUL)
