"""Revalidation: no write is followed by a wrong 304 for any reader."""

import pytest

from skerry.web.route import ResponseKind
from skerry.web.routes.table import ROUTES
from tests.support.route_matrix import (
    ANONYMOUS,
    MEMBER,
    ONCE,
    REMOVALS_LAST,
    Account,
    name_of,
    without_aliases,
)

SHOWING = {ResponseKind.ITEM, ResponseKind.LIST, ResponseKind.PAGE}


READING = without_aliases(
    [route for route in ROUTES if route.method == "GET" and route.response_kind in SHOWING]
)


class Reader:
    """Somebody who looks at everything of a site again and again."""

    def __init__(self, site, who):
        self._client = site.clients[who]
        self._hidden, self._known = {site.path(route) for route in READING}, {}
        self.changed = 0

    def look_around(self):
        """Ask for what was not there or not to be seen, and at once again."""
        for path in list(self._hidden):
            self._keep(path, self._client.get(path))
        for path in self._hidden & self._known.keys():
            assert self._again(path).status == 304, path
        self._hidden -= self._known.keys()

    def look(self, after):
        """Assert that the tag of what is known is another one exactly where something has changed."""
        for path, known in list(self._known.items()):
            now = self._client.get(path)
            if now.status == 200 and now.body == known.body:
                assert now.headers["etag"] == known.headers["etag"], f"{path} after {after}"
            else:
                again = self._again(path)
                assert (again.status, again.body) == (now.status, now.body), f"{path} after {after}"
                self.changed += 1
            self._keep(path, now)

    def _again(self, path):
        return self._client.get(path, If_None_Match=self._known[path].headers["etag"])

    def _keep(self, path, now):
        self._known.pop(path, None)
        if now.status == 200:
            self._known[path] = now
        else:
            self._hidden.add(path)


@pytest.mark.parametrize(("who", "least"), [(MEMBER, 100), (ANONYMOUS, 20)])
def test_after_every_kind_of_write_exactly_those_who_know_what_is_there_are_told_so(world, who, least):
    site = Account(world, "stone").sites["public"]
    reader = Reader(site, who)
    for number, route in enumerate(without_aliases(REMOVALS_LAST)):
        if number % 10 == 0:
            reader.look_around()
        copy = site.fresh(route) if name_of(route) in ONCE else site
        answer = copy.send(MEMBER, route)
        # Some things are for people with a password, who are none of these, one is for an instance without
        # any, and one for those that send mail.
        other = {"/set-up/{code}": 404, "/password-reset": 409}.get(route.path, 200)
        assert answer.status in (200, 201, 403, other), (name_of(route), answer.body)
        reader.look(name_of(route))
    assert reader.changed > least
