"""A real browser and a server that it can reach, with the cast signed in."""

import pytest
from playwright.sync_api import expect

from tests.conftest import PASSWORD, build_world, untroubled
from tests.support import chromium
from tests.support.browser_client import WebClient
from tests.support.processes import until

# The machine may be busy.
expect.set_options(timeout=60_000)

SIZES = {"desk": {"width": 1200, "height": 800}, "phone": {"width": 390, "height": 800}}


def focused(field):
    """Wait until a part of a page has the focus, which comes with the first picture, and return it."""
    until(lambda: field.evaluate("(found) => found === document.activeElement"), "the focus")
    return field


def in_sight(part):
    """Return whether a part of a page begins in its window."""
    # A part of a pixel is nothing.
    return -1 < part.bounding_box()["y"] < part.page.viewport_size["height"]


def saved(page, button="Save"):
    """Press a button and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


@pytest.fixture(scope="session")
def browser():
    with chromium.started() as found:
        yield found


@pytest.fixture(scope="session")
def port(sqlite_instance):
    """The port at which the instance on SQLite answers; the databases differ in nothing that a page shows."""
    with chromium.served(sqlite_instance[0].application) as number:
        yield number


@pytest.fixture
def world(sqlite_instance):
    instance, log = sqlite_instance
    with untroubled(log):
        yield build_world(instance, log)


@pytest.fixture
def address(world, port):
    """The address of the world."""
    return f"http://{world.host}:{port}"


@pytest.fixture
def opened(browser, world, address):
    """Return a tab of somebody's who is signed in, or of nobody's; what the browser complains about fails."""
    complaints, contexts = [], []

    def at(client=None, path="/", *, size="desk", script=True, theme="light", language="en"):
        context = browser.new_context(
            viewport=SIZES[size],
            java_script_enabled=script,
            color_scheme=theme,
            locale=language,
            base_url=address,
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.set_default_timeout(60_000)
        if client is not None:
            web = WebClient(world.instance.application, world.host)
            web.sign_in(client.email, PASSWORD)
            context.add_cookies(
                [{"name": name, "value": value, "url": address} for name, value in web.cookies.items()]
            )
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        if path is not None:
            page.goto(path)
        return page

    yield at
    for context in contexts:
        context.close()
    # An answer such as 404 or 422, or none, is said on the console too, and is no fault of the page.
    expected = ("the server responded with a status of", "net::ERR_")
    assert [said for said in complaints if not any(each in said for each in expected)] == []


@pytest.fixture
def ticket(ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Under the stairs"}})
    return f"{tickets}/1"
