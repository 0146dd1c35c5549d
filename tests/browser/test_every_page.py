"""What holds for every page of the map: for all readers, on every screen, and small enough to be quick."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from skerry.web.site.languages import LANGUAGES
from skerry.web.site.map import PAGES
from tests.walking import Account

MOST_PAGE = 100_000
MOST_SCRIPT = 60_000

# What is as it should be is not told of, which takes as long again as to look.
_TOLD = {"resultTypes": ["violations"]}
_ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# In the dark only the colours are others.
_RULES = {
    "light": _TOLD | {"runOnly": {"type": "tag", "values": _ALL}},
    "dark": _TOLD | {"runOnly": {"type": "rule", "values": ["color-contrast"]}},
}

# The page of the interface tells of each resource in the same way, and takes long to look at.
_ALIKE = {"exclude": [["section ~ section ~ section"]]}

# Every file of a page: its address, its bytes as sent, and its bytes when unpacked.
_FILES = """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .map((file) => [file.name, file.encodedBodySize, file.decodedBodySize])"""


@pytest.fixture
def site(world):
    """A project with one of everything in it."""
    return Account(world, "beacon").sites["public"]


def addresses(site):
    return [site.path(page.line) for page in PAGES]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(opened, site, ada, theme):
    page, found = opened(ada, "/sign-in", theme=theme), {}
    for address in addresses(site):
        page.goto(address)
        results = Axe().run(page, options=_RULES[theme])
        for violation in results.response["violations"]:
            places = [node["html"][:200] for node in violation["nodes"]]
            found.setdefault(address, []).append((violation["id"], places))
    assert found == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_the_pages_of_a_visitor(opened, site, theme):
    page, found = opened(theme=theme), {}
    project = f"/projects/{site.values['projects']}"
    for address in ("/", "/sign-in", "/nothing/here", "/api", project, f"{project}/tickets"):
        page.goto(address)
        results = Axe().run(page, context=_ALIKE if address == "/api" else None, options=_RULES[theme])
        found |= {(address, each["id"]): each["nodes"][0]["html"] for each in results.response["violations"]}
    assert found == {}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_page_is_wider_than_a_telephone(opened, site, ada, language):
    page, wide = opened(ada, size="phone", language=language), {}
    for address in addresses(site):
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == language
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            wide[address] = width
    assert wide == {}


def test_all_that_happened_has_the_same_room(opened, site, ada):
    page = opened(ada, f"/projects/{site.values['projects']}/activity")
    kinds = page.locator(".feed > li").evaluate_all("(all) => all.map((each) => each.classList[0])")
    widths = page.locator(".feed > li > p:first-child").evaluate_all("(all) => all.map((p) => p.offsetWidth)")
    assert {"ticket", "message", "changeset"} <= set(kinds)
    assert len(set(widths)) == 1


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_on_a_telephone_every_part_of_a_project_is_in_sight(opened, ada, roof, language):
    page = opened(ada, f"/projects/{roof}", size="phone", language=language)
    tabs = page.locator(".tabs a").all()
    assert len(tabs) == 7
    boxes = [tab.bounding_box() for tab in tabs]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def test_every_page_has_one_heading_and_a_title_of_its_own(opened, site, ada):
    page, titles = opened(ada), {}
    for address in addresses(site):
        answer = page.goto(address)
        assert page.locator("h1").count() == 1, address
        # The page to set a tracker up is gone as soon as anybody is there.
        if answer.ok:
            titles.setdefault(page.title(), []).append(address)
    # The list of all tickets and a project's own may be called the same; nothing else may.
    assert {title: found for title, found in titles.items() if len(found) > 1} == {}


def test_a_page_is_small_and_brings_little_script(opened, site, ada):
    page = opened(ada)
    for address in addresses(site):
        page.goto(address)
        files = page.evaluate(_FILES)
        assert sum(whole for name, _, whole in files if ".js" in name) <= MOST_SCRIPT, address
        assert sum(sent for _, sent, _ in files) <= MOST_PAGE, address
