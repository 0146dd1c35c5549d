"""What every page says about events: from where its stream continues, and whether its count may be late."""

import pytest

from skerry.web.routes.pages import PAGES
from tests.support.readers import read_events
from tests.support.route_matrix import Account

ROLES = (None, "member", "administrator", "owner")


@pytest.mark.parametrize("kind", ["private", "public", "archived"])
def test_the_stream_that_a_page_asks_for_is_open_to_its_reader(world, surfing, kind):
    site = Account(world, "slate", (kind,)).sites[kind]
    readers = {role: world.person(f"{role}s", role) for role in ROLES}
    readers["projects only"] = world.person("fay")
    world.join(site.values["projects"], readers["projects only"])
    for name, reader in readers.items():
        web, streams = surfing(reader), {}
        for page in PAGES:
            path = site.path(page.route)
            _, found, rest = web.get(path).source.partition('data-events="')
            if found and (after := rest.partition('"')[0]):
                streams[after] = path
        for after, path in streams.items():
            stream = web.send("HEAD", f"/events.json?after={after}", Accept="text/event-stream")
            assert (name, path, stream.status) == (name, path, 200)


def test_a_page_says_that_notifications_are_pending(world, surfing, ada, ben, tickets):
    def notify():
        read_events(world)

    web = surfing(ben)
    notify()
    assert "data-late" not in web.get("/").source
    ada.post(tickets, {"ticket": {"title": "Leak", "assigned_user_id": ben.user_id}})
    assert "data-late" in web.get("/").source
    notify()
    page = web.get("/")
    assert ("data-late" in page.source, "Inbox 1 unread" in page.text) == (False, True)
