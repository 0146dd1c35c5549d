"""The service below a path of its host: no address leaves that path."""

import json
import re
from dataclasses import replace

import pytest

from skerry import app
from skerry.prefixes import PLACES
from skerry.web.log import Log
from skerry.web.routes.pages import ENDPOINTS, PAGES
from skerry.web.routes.redirects import MOVED
from skerry.web.routes.table import ROUTES
from tests.conftest import PASSWORD
from tests.support.below import PREFIX, below, in_answer, in_headers, in_page, leaves, surfing_below
from tests.support.browser_client import WebClient
from tests.support.client import call
from tests.support.route_matrix import Account

TEXT = 'See #1, [the list](/projects), @ada and ![it](/static/logo.svg), not `href="/x"`'


@pytest.fixture
def site(world):
    """A project with one of everything in it, and texts with links."""
    site = Account(world, "beacon", ["public"]).sites["public"]
    ticket = f"/projects/{site.values['projects']}/tickets/{site.values['tickets']}"
    world.people["ada"].put(f"{ticket}/versions/1", {"version": {"body": TEXT}})
    return site


def out(found, host):
    """Return the addresses that leave the path."""
    return [(where, address) for where, address in found if leaves(address, host)]


def test_no_address_of_a_page_leaves_the_path(world, ada, site):
    web, wrong, seen = surfing_below(world, ada, PASSWORD), {}, 0
    for page in PAGES:
        answer = web.send("GET", f"{PREFIX}{site.path(page)}", follow=False)
        found = in_page(answer.source)
        seen += len(found)
        if left := out([*found, *in_headers(answer)], world.host):
            wrong[page.path] = left
    assert wrong == {}
    assert seen > 20 * len(PAGES)


def test_no_address_in_an_answer_of_the_interface_leaves_the_path(world, ada, site):
    there, wrong, seen = replace(ada, application=below(world.instance.application)), {}, 0
    for route in (route for route in ROUTES if route.method == "GET"):
        for form in ("json", "xml"):
            answer = there.get(f"{PREFIX}{site.path(route)}", Accept=f"application/{form}")
            is_answer = answer.headers.get("content-type", "").startswith(f"application/{form}")
            found = in_answer(answer.body) if is_answer else []
            seen += len(found)
            if left := out([*found, *in_headers(answer)], world.host):
                wrong[f"{route.path}.{form}"] = left
    assert wrong == {}
    assert seen > len(PAGES)


def test_what_begins_a_path_of_the_service_begins_no_prefix():
    paths = [*(endpoint.path for endpoint in ENDPOINTS), *MOVED]
    assert {path.split("/")[1] for path in paths} - {""} <= PLACES


@pytest.mark.parametrize("path", ["/projects", "/tickets?q=leak", "/profile"])
def test_a_proxy_may_remove_the_path_or_leave_it(world, ada, path):
    web = surfing_below(world, ada, PASSWORD)
    removed, left = web.get(path, follow=False), web.get(f"{PREFIX}{path}", follow=False)
    assert removed.status == left.status == 200
    assert [href for href in removed.links if href[0] == "/" and not href.startswith(PREFIX)] == []


def test_the_path_alone_leads_to_its_root(world):
    web = WebClient(below(world.instance.application), world.host)
    answer = web.get(f"{PREFIX}?q=leak", follow=False)
    assert (answer.status, answer.headers["location"]) == (308, f"{PREFIX}/?q=leak")


def test_forms_lead_to_where_they_would_at_the_root(world, ada, roof):
    web, tickets = surfing_below(world, ada, PASSWORD), f"{PREFIX}/projects/{roof}/tickets"
    page = web.submit(web.get(f"{tickets}/new"), tickets, **{"ticket[title]": "Leak"})
    assert page.path == f"{tickets}/1"
    page = web.submit(page, f"{tickets}/1", **{"ticket[body]": "Sealed", "_next": f"{tickets}?q=leak"})
    assert page.path == f"{tickets}?q=leak"


def test_cookies_are_for_the_path_alone(world, ada):
    settings = replace(world.instance.settings, base_url=f"https://{world.host}{PREFIX}")
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        page, cookies = web.get(f"{PREFIX}/sign-in"), [*web.cookies]
        chosen = web.submit(page, f"{PREFIX}/preferences", follow=False, theme="dark")
        sent = {"email": ada.email, "password": PASSWORD}
        answer = web.submit(page, f"{PREFIX}/sign-in", follow=False, **sent)
    assert cookies == ["__Secure-skerry-browser", "__Secure-skerry"]
    for each in (page, chosen, answer):
        assert f"; Path={PREFIX}/; " in each.headers["set-cookie"]


SAID = {
    "/tracker": "/tracker",
    "/a/b-c_d.e~f": "/a/b-c_d.e~f",
    "/tracker/": "",
    "tracker": "",
    "//evil.example": "",
    "/a/../b": "",
    '/a"b': "",
    "/projects": "",
    "/" + "a" * 300: "",
}


@pytest.mark.parametrize("said", SAID)
def test_only_a_trusted_proxy_names_a_path_and_only_a_plain_one(world, said):
    trusting = replace(world.instance.settings, trusted_proxies=frozenset({world.host}))
    for settings, prefix in ((trusting, SAID[said]), (world.instance.settings, "")):
        with app.build(settings, Log(stream=world.log)) as instance:
            web = WebClient(instance.application, world.host, headers={"X-Forwarded-Prefix": said})
            assert f'href="{prefix}/static/favicon.svg' in web.get("/sign-in").source


def test_an_answer_below_a_path_has_another_tag(world, ada, site):
    ticket = f"/projects/{site.values['projects']}/tickets/{site.values['tickets']}"
    there = replace(ada, application=below(world.instance.application))
    for path in (ticket, "/tickets"):
        here, moved = ada.get(path), there.get(f"{PREFIX}{path}")
        assert here.headers["etag"] != moved.headers["etag"]
        assert there.get(f"{PREFIX}{path}", If_None_Match=moved.headers["etag"]).status == 304
    text = there.get(f"{PREFIX}{ticket}").item["body_html"]
    assert f'href="{PREFIX}/projects"' in text
    assert "href=&quot;/x&quot;" in text or 'href="/x"' in text
    changed = there.put(
        f"{PREFIX}{ticket}",
        {"ticket": {"title": "Dry"}},
        If_Match=there.get(f"{PREFIX}{ticket}").headers["etag"],
    )
    assert changed.status == 200


def test_the_description_of_the_interface_names_the_path(world):
    there = below(world.instance.application)
    for application, path, server in ((there, PREFIX, PREFIX), (world.instance.application, "", "/")):
        answer = call(application, "GET", f"{path}/openapi.json", headers={"Host": world.host})
        assert json.loads(answer.body)["servers"][0]["url"] == server


def test_feeds_and_calendars_have_the_path(world, ada, roof):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "due_on": "2027-01-31", "body": TEXT}})
    ada.post(f"/projects/{roof}/messages", {"message": {"title": "News", "body": TEXT}})
    web = surfing_below(world, ada, PASSWORD)
    for kind in ("tickets", "activity", "messages", "due_dates"):
        page = web.get(f"{PREFIX}/profile/feeds?kind={kind}&project={roof}")
        made = web.submit(page, f"{PREFIX}/profile/feeds")
        address = next(each for each in made.source.split('"') if "/feeds/" in each and "://" in each)
        assert address.startswith(f"http://{world.host}{PREFIX}/feeds/")
        answer = call(
            below(world.instance.application),
            "GET",
            address.partition(world.host)[2],
            headers={"Host": world.host},
        )
        assert answer.status == 200
        ours = re.findall(rf"http://{world.host}(/[\w/-]*)", answer.body.decode())
        assert ours
        assert [each for each in ours if not each.startswith(f"{PREFIX}/")] == []
