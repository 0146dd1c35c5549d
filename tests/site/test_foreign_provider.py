"""Signing in with a provider that others wrote."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from skerry import app
from skerry.web.log import Log
from tests.support import foreign_provider
from tests.support.browser_client import WebClient
from tests.support.processes import PATIENCE


@pytest.fixture(scope="module")
def base():
    with foreign_provider.running() as found:
        yield found


@pytest.mark.matrix("both")
def test_somebody_signs_in_once_with_a_code_of_the_provider(world, ben, base):
    foreign_provider.known(base, "ben", email=ben.email, email_verified=True, name="Ben")
    settings = replace(world.instance.settings, providers=(foreign_provider.settings(base),))
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        left = web.submit(web.get("/sign-in"), "/sign-in/with/corp")
        place = left.headers["refresh"].partition("url=")[2]
        assert parse_qs(urlsplit(place).query)["code_challenge_method"] == ["S256"]
        answer = httpx.post(place, data={"sub": "ben"}, timeout=PATIENCE)
        back = urlsplit(answer.headers["location"])
        kept = dict(web.cookies)
        assert web.get(f"{back.path}?{back.query}").status == 200
        assert "Ben" in web.get("/profile").text
    # Another process does not know that the attempt was used, but the provider does.
    with app.build(settings, Log(stream=world.log)) as instance:
        again = WebClient(instance.application, world.host, kept)
        assert again.get(f"{back.path}?{back.query}").status == 401


def test_the_provider_sends_people_back_below_a_path(world, base):
    place = f"http://{world.host}/tracker"
    offered = (foreign_provider.settings(base),)
    settings = replace(world.instance.settings, base_url=place, providers=offered)
    with app.build(settings, Log(stream=world.log)) as instance:
        web = WebClient(instance.application, world.host)
        left = web.submit(web.get("/tracker/sign-in"), "/tracker/sign-in/with/corp")
    asked = parse_qs(urlsplit(left.headers["refresh"].partition("url=")[2]).query)
    assert asked["redirect_uri"] == [f"{place}/sign-in/with/corp/return"]
