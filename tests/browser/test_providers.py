"""Signing in with a provider, whose pages are of another site, in a real browser."""

from dataclasses import replace

from playwright.sync_api import expect

from skerry import app
from skerry.web.log import Log
from tests.support import chromium, foreign_provider


def test_a_browser_leaves_for_the_provider_and_comes_back_signed_in(opened, world, ben):
    with foreign_provider.running() as base:
        foreign_provider.known(base, "ben", email=ben.email, email_verified=True, name="Ben")
        settings = replace(world.instance.settings, providers=(foreign_provider.settings(base),))
        with (
            app.build(settings, Log(stream=world.log)) as instance,
            chromium.served(instance.application) as port,
        ):
            page = opened(None, f"http://{world.host}:{port}/sign-in?next=/profile")
            page.get_by_role("button", name="Sign in with Corp").click()
            page.locator("input[name=sub]").fill("ben")
            page.get_by_role("button", name="Authorize").click()
            expect(page.get_by_role("heading", name="Single sign-on")).to_be_visible()
            # Its stream of events would keep the server from ending.
            page.context.close()
