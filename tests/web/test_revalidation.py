"""Reading again: whatever is written, and by whom, nobody is told that nothing has changed when it has."""

import pytest

from skerry.web.routes.route import ResponseKind
from skerry.web.routes.table import ROUTES
from tests.conftest import build_world
from tests.support.route_matrix import ANONYMOUS, MEMBER, ONCE, REMOVALS_LAST, WRITING, Account, name_of

# Thousands of requests on ways that other tests cover.
pytestmark = pytest.mark.no_cover

SHOWING = {ResponseKind.ITEM, ResponseKind.LIST, ResponseKind.PAGE}
READING = [route for route in ROUTES if route.method == "GET" and route.response_kind in SHOWING]


class Readers:
    """Some people who look at everything of a site again and again."""

    def __init__(self, site, people):
        self._asked = [(site.voices[who], site.path(route)) for route in READING for who in people]
        self._known = []
        self.changed = 0

    def look(self):
        """Let all of them read what is there now, and then ask again for what they have."""
        for voice, path in self._asked:
            now = voice.get(path)
            if now.status == 200:
                self._known.append((voice, path, now))
                again = voice.get(path, If_None_Match=now.headers["etag"])
                assert (again.status, again.body) == (304, b"")

    def look_again(self, what):
        """Let them ask whether what they have has changed, and compare with what is there."""
        for voice, path, known in self._known:
            answers = [voice.get(path, If_None_Match=known.headers["etag"]) for _ in range(2)]
            now = voice.get(path)
            same = now.status == 200 and now.body == known.body
            expected = 304 if same else now.status
            assert {answer.status for answer in answers} == {expected}, f"{path} after {what}"
            self.changed += not same


# Who looks makes no difference to the database.
@pytest.mark.parametrize(("database", "people"), [("sqlite", (ANONYMOUS, MEMBER)), ("postgres", (MEMBER,))])
def test_after_every_kind_of_write_exactly_those_who_know_what_is_there_are_told_so(
    request, database, people
):
    instance, log = request.getfixturevalue(f"{database}_instance")
    site = Account(build_world(instance, log, "json"), "stone").sites["public"]
    changed = 0
    for route in REMOVALS_LAST:
        readers = Readers(site, people)
        readers.look()
        copy = site.fresh(route) if name_of(route) in ONCE else site
        answer = copy.send(MEMBER, route)
        # Some things are for people with a password, who are none of these, one is for an instance without
        # any, and one for those that send mail.
        other = {"/set-up/{code}": 404, "/password-reset": 409}.get(route.path, 200)
        assert answer.status in (200, 201, 403, other), (name_of(route), answer.body)
        readers.look_again(name_of(route))
        changed += readers.changed
    assert changed > len(WRITING)
