"""The site below a path of its host, with scripts, behind the real nginx and the real Caddy."""

from dataclasses import replace

import pytest

from skerry import app
from skerry.web.log import Log
from tests.browser.conftest import focused
from tests.conftest import PASSWORD
from tests.support import chromium, reverse_proxies

PREFIX = "/tracker"


@pytest.fixture(params=reverse_proxies.NAMES)
def page(request, browser, world, tmp_path):
    """A tab at a proxy in front of the world, which has it below a path; nothing may lead out of it."""
    settings = replace(world.instance.settings, trusted_proxies=frozenset({"127.0.0.1"}))
    place = {"below": PREFIX, "host": world.host}
    with (
        app.build(settings, Log(stream=world.log)) as instance,
        chromium.served(instance.application) as port,
        reverse_proxies.in_front_of(port, request.param, tmp_path, **place) as front,
    ):
        context = browser.new_context(base_url=f"http://{world.host}:{front}", reduced_motion="reduce")
        context.set_default_timeout(60_000)
        asked = []
        tab = context.new_page()
        tab.on("request", lambda each: asked.append(each.url))
        yield tab
        context.close()
    begin = f"http://{world.host}:{front}{PREFIX}/"
    assert [url for url in asked if not url.startswith((begin, "data:", "blob:"))] == []


def test_somebody_signs_in_finds_a_ticket_and_comments_on_it(page, ada, ben, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "As in #1"}})
    page.goto(f"{PREFIX}/sign-in")
    page.get_by_label("E-mail address").fill(ada.email)
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_response("**/events.json*") as stream:
        page.get_by_label("Password").press("Enter")
    assert stream.value.status == 200
    page.get_by_role("group").get_by_text("Ada", exact=True).wait_for()

    # The palette goes to the ticket that it finds.
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    focused(palette.get_by_role("combobox")).fill("leak")
    palette.get_by_role("group", name="Tickets").get_by_role("option").click()
    page.get_by_role("heading", name="Leak").first.wait_for()

    # What others do is shown; a draft outlives a reload, and is sent.
    comment = page.get_by_role("textbox", name="Comment")
    comment.fill("I looked")
    ben.put(f"{tickets}/1", {"ticket": {"body": "So did I"}})
    page.get_by_role("link", name="Show").click()
    page.locator(".turn", has_text="So did I").wait_for()
    page.reload()
    page.locator(".turn", has_text="So did I").wait_for()
    assert comment.input_value() == "I looked"
    page.get_by_role("button", name="Comment", exact=True).click()
    page.locator(".turn", has_text="I looked").wait_for()
    assert [each["body"] for each in ada.get(f"{tickets}/1").item["versions"]][-1] == "I looked"

    # Keys, and links in texts.
    page.get_by_role("link", name="#1").first.wait_for()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url(f"**{PREFIX}{tickets}")
    page.get_by_role("link", name="Leak").first.wait_for()
