"""Requirements of every page, for all readers and screen sizes."""

import itertools
import re

import pytest

from skerry.languages import LANGUAGES
from skerry.web.routes.pages import PAGES
from skerry.web.site import assets
from tests.support.accessibility import violations
from tests.support.route_matrix import Account

MAX_PAGE = 45_000
"""The largest page with its styles, in bytes."""

MAX_SCRIPT = 60_000
MAX_FONT = 50_000

# What may be well in a wide window and wrong on a telephone.
NARROW = ("landmark-one-main", "page-has-heading-one", "scrollable-region-focusable", "target-size")

WINDOWS = ((390, 16), (320, 16), (320, 32), (1024, 32), (1200, 32), (1200, 16))
"""How wide windows are, and how high letters, in pixels."""

# The page of the interface tells of each resource in the same way, and takes long to look at.
_ALIKE = "section ~ section ~ section"

# Every file of a page: its address, and its bytes as sent.
_FILES = """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .map((file) => [file.name, file.encodedBodySize])"""

# How wide a page is with letters of some height.
_LONG_AGO = """(times) => times.forEach((each) => {
  if (each.textContent.startsWith("vor ")) each.textContent = "vor 44 Sekunden";
})"""
_WIDTH = """(letters) => {
  document.documentElement.style.fontSize = `${letters}px`;
  return document.documentElement.scrollWidth;
}"""

# How wide a dialog is, and what stands in it.
_ROOM = """(dialog) => {
  document.querySelector("dialog[open]")?.close();
  dialog.showModal();
  return { needed: dialog.scrollWidth, given: dialog.clientWidth };
}"""

# Names that end in the middle of a letter, as they do in a flexible box.
_CUT = """(all) => all
    .filter((each) => each.checkVisibility() && getComputedStyle(each).display.includes("flex"))
    .filter((each) => each.scrollWidth > each.clientWidth)
    .map((each) => each.outerHTML)"""

# The icons that are seen.
_ICONS = "(all) => all.filter((each) => each.checkVisibility()).map((each) => each.href.baseVal)"

# Where the first letter of an element's last text stands, and where its last one.
_ENDS = """(element) => {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (text.nextNode());
  const [range, words] = [document.createRange(), text.currentNode.data.trimEnd()];
  return [words.search(/\\S/), words.length - 1].map((at) => {
    range.setStart(text.currentNode, at);
    range.setEnd(text.currentNode, at + 1);
    return range.getBoundingClientRect().left;
  });
}"""


@pytest.fixture
def site(world):
    """A project with one of everything in it."""
    return Account(world, "beacon").sites["public"]


@pytest.fixture(scope="module")
def seen():
    """The looks of texts whose colours a test of this module has had judged."""
    return set()


SEARCHED = ("/administration", "/invitations", "/projects", "/memberships", "/bins", "/profile", "/tokens")
"""The pages on which something is looked for by name, in a list or among what may be chosen."""


def addresses(site):
    return [site.path(page.route) for page in PAGES]


def searched(site):
    return [f"{each}?q=a&whom=a&project=a" for each in addresses(site) if each.endswith(SEARCHED)]


def check_size(page, address):
    files = page.evaluate(_FILES)
    scripts = [sent for name, sent in files if ".js" in name]
    fonts = [sent for name, sent in files if ".woff2" in name]
    assert sum(scripts) <= MAX_SCRIPT, address
    assert max(fonts, default=0) <= MAX_FONT, address
    assert sum(sent for _, sent in files) - sum(scripts) - sum(fonts) <= MAX_PAGE, address


def check_widths(page, address):
    # How long ago something was must not decide whether it fits.
    page.locator("time").evaluate_all(_LONG_AGO)
    for width, letters in WINDOWS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(_WIDTH, letters) <= width, (address, width, letters)


def test_every_page_is_for_all_readers_and_small_and_within_its_window_and_has_a_title_of_its_own(
    opened, site, ada, seen
):
    project, name = f"/projects/{site.values['projects']}", "Maximiliana" * 20
    ada.put("/profile", {"user": {"name": name}})
    ada.post(f"{project}/bins", {"ticket_bin": {"name": name, "query": "leak"}})
    ada.put(f"{project}/tickets/1", {"ticket": {"body": "Wet", "assigned_user_id": ada.user_id}})
    # In the language whose words are the longest.
    page, titles, found = opened(ada, "/sign-in", language="de"), {}, {}
    for address in addresses(site):
        answer = page.goto(address)
        assert page.locator("html").get_attribute("lang") == "de"
        assert page.locator("h1").count() == 1, address
        check_size(page, address)
        # The page to set a tracker up is gone as soon as anybody is there.
        if answer.ok:
            titles.setdefault(page.title(), []).append(address)
        found[address] = violations(page, seen=seen)
        check_widths(page, address)
        page.set_viewport_size({"width": 390, "height": 844})
        page.evaluate(_WIDTH, 16)
        found[address] += violations(page, light=NARROW, dark=(), seen=seen)
        page.set_viewport_size({"width": 1200, "height": 800})
    for address in searched(site):
        page.goto(address)
        found[address] = violations(page, seen=seen)
        check_widths(page, address)
    assert {address: broken for address, broken in found.items() if broken} == {}
    # The list of all tickets and a project's own may be called the same; nothing else may.
    assert {title: found for title, found in titles.items() if len(found) > 1} == {}


def test_axe_finds_nothing_on_the_pages_of_a_visitor(opened, site, seen):
    page, found = opened(), {}
    project = f"/projects/{site.values['projects']}"
    for address in ("/", "/sign-in", "/nothing/here", "/api", project, f"{project}/tickets"):
        page.goto(address)
        page.locator(_ALIKE).evaluate_all("(all) => all.forEach((each) => each.remove())")
        found[address] = violations(page, seen=seen)
    assert {address: broken for address, broken in found.items() if broken} == {}


def test_links_in_the_list_of_tickets_are_far_enough_apart_on_every_screen(opened, site, ada):
    page, found = opened(ada, "/tickets"), {}
    # A layout has the least room in the narrowest of its windows.
    style = assets.content("skerry.css").decode()
    widths = {int(rem) * 16 + 1 for rem in re.findall(r"@media \(max-width: (\d+)rem\)", style)}
    assert 700 < max(widths) < 1300
    for width in sorted({700, *(width for width in widths if width > 700)}):
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = violations(page, light=["target-size"], dark=[])
    assert {width: broken for width, broken in found.items() if broken} == {}


@pytest.mark.parametrize(("width", "letters"), [(320, 16), (320, 32), (640, 32)])
def test_menus_and_boxes_open_within_the_window(opened, ada, roof, width, letters):
    page = opened(ada, f"/projects/{roof}/tickets/new", size="phone", language="de")
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(_WIDTH, letters)
    page.get_by_role("link", name="Menü").click()
    page.locator("#side .menu > summary").click()
    for part in ("#side", ".menu .sheet"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("#side").wait_for(state="hidden")
    for name in ("keys", "command"):
        room = page.locator(f"#{name}").evaluate(_ROOM)
        assert room["needed"] <= room["given"] <= width, name


def test_all_activity_has_the_same_layout(opened, site, ada):
    page = opened(ada, f"/projects/{site.values['projects']}/activity")
    kinds = page.locator(".feed > li").evaluate_all("(all) => all.map((each) => each.classList[0])")
    widths = page.locator(".feed > li > p:first-child").evaluate_all("(all) => all.map((p) => p.offsetWidth)")
    assert {"ticket", "message", "changeset"} <= set(kinds)
    assert len(set(widths)) == 1


def test_each_text_is_written_in_its_own_direction(opened, ada, roof):
    text = "العنوان Roof الأول"
    body = f"{text}\n\n- {text}\n\nRoof"
    address = f"/projects/{roof}/tickets"
    ada.post(address, {"ticket": {"title": text, "body": body}})
    for path, places in ((address, ["[data-open]"]), (f"{address}/1", ["h1", ".prose p", ".prose li"])):
        page = opened(ada, path)
        for place in places:
            first, last = page.locator(place).first.evaluate(_ENDS)
            assert first > last, place
    assert page.locator(".prose").first.evaluate("(prose) => getComputedStyle(prose).direction") == "rtl"


def test_html_in_a_text_cannot_leave_its_place_on_the_page(opened, ada, roof):
    names = sorted(set(re.findall(r"\.([a-z][\w-]*)", assets.content("skerry.css").decode())))
    body = "\n\n".join(f'<p class="{name}">x</p>' for name in names)
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": body}})
    page = opened(ada, f"/projects/{roof}/tickets/1")
    places = page.locator(".prose p").evaluate_all(
        "(all) => all.map((each) => [each.className, getComputedStyle(each).position])"
    )
    assert places == [["", "static"] for _ in names]
    assert "choices" in names


def test_pages_are_printed_light_in_the_dark_theme_too(opened, site, ada):
    page = opened(ada, f"/projects/{site.values['projects']}/tickets")
    page.locator(".side .menu > summary").click()
    page.get_by_label("Theme").select_option("dark")
    with page.expect_navigation():
        page.locator(".side").get_by_role("button", name="Save", exact=True).click()
    link, ink = page.locator("[data-open]").first, "(link) => getComputedStyle(link).color"
    assert link.evaluate(ink) == "rgb(232, 232, 234)"
    page.emulate_media(media="print")
    assert link.evaluate(ink) == "rgb(28, 29, 32)"


def test_the_menu_closes_when_somebody_goes_elsewhere(opened, ada):
    page = opened(ada)
    menu, opener = page.get_by_role("link", name="Profile and tokens"), page.locator(".side .menu > summary")
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.locator("h1").click(force=True)):
        opener.click()
        menu.wait_for()
        leave()
        menu.wait_for(state="hidden")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_part_of_a_project_is_visible_on_a_phone(opened, ada, roof, language):
    page = opened(ada, f"/projects/{roof}", size="phone", language=language)
    page.locator(".to-menu").click()
    sections = page.locator("#side .sub a").all()
    assert len(sections) == 7
    boxes = [section.bounding_box() for section in sections]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def test_a_phone_without_scripts_has_the_menu_on_a_page_of_its_own(opened, ada, roof):
    page = opened(ada, f"/projects/{roof}", size="phone", script=False)
    page.locator(".to-menu").click()
    page.wait_for_url("**/menu")
    assert page.locator("#side").is_visible()
    page.get_by_role("link", name="Roof").click()
    page.wait_for_url(f"**/projects/{roof}")


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_ticket_with_many_links_has_no_gaps_between_its_texts(opened, ada, roof, size):
    tickets = f"/projects/{roof}/tickets"
    for title in ("Roof", *(f"Leak {number}" for number in range(15))):
        ada.post(tickets, {"ticket": {"title": title}})
    for number in range(2, 17):
        ada.post(f"{tickets}/1/links", {"link": {"kind": "child", "ticket": number}})
    page = opened(ada, f"{tickets}/1", size=size)
    parts = ("#headline", "#conversation", ".reply") if size == "desk" else ("#conversation", ".reply")
    boxes = [page.locator(part).bounding_box() for part in parts]
    gaps = [after["y"] - before["y"] - before["height"] for before, after in itertools.pairwise(boxes)]
    assert max(gaps) < 40


def test_rows_of_tickets_are_of_one_height_on_each_page_that_has_them(opened, site, ada):
    project = f"/projects/{site.values['projects']}"
    ada.post(f"{project}/tickets", {"ticket": {"title": "Leak " * 40, "assigned_user_id": ada.user_id}})
    page = opened(ada)
    for size, height in ((1440, 36), (390, 57)):
        page.set_viewport_size({"width": size, "height": 800})
        for address in ("/", f"/users/{ada.user_id}", f"{project}/tickets"):
            page.goto(address)
            rows = page.locator(".tickets > li").evaluate_all("(all) => all.map((each) => each.offsetHeight)")
            assert (address, set(rows)) == (address, {height})


def test_names_that_are_cut_off_say_so(opened, site, ada):
    long = "Maximiliana" * 9
    project = f"/projects/{site.values['projects']}"
    ada.put(project, {"project": {"name": long}})
    ada.post(f"{project}/tickets", {"ticket": {"title": long, "tag": long}})
    page = opened(ada)
    for size in (1440, 390):
        page.set_viewport_size({"width": size, "height": 800})
        for address in ("/tickets", "/board", f"{project}/tickets", f"{project}/milestones"):
            page.goto(address)
            cut = page.locator("main :is(.badge, .tag, .up, h1), .side .item > span").evaluate_all(_CUT)
            assert (size, address, cut) == (size, address, [])


def test_who_i_am_stays_in_sight_beside_long_lists(opened, ada):
    for number in range(25):
        ada.post("/projects", {"project": {"name": f"Pier {number}"}})
    page = opened(ada)
    page.set_viewport_size({"width": 1200, "height": 500})
    assert page.locator(".side .me").bounding_box()["y"] < 500
    page.locator(".side .menu > summary").click()
    page.get_by_role("button", name="Sign out").click(trial=True)


def test_a_phone_says_in_which_part_of_a_project_somebody_is(opened, ada, roof):
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Winter"}})
    page = opened(ada, size="phone", language="de")
    for section in ("tickets", "board", "milestones", "messages", "changesets", "memberships", "settings"):
        page.goto(f"/projects/{roof}/{section}")
        heading = page.locator(".bar h1")
        assert heading.evaluate("(each) => each.scrollWidth <= each.clientWidth"), section
        assert page.locator(".bar").bounding_box()["height"] < 60
        # Two actions with the same icon cannot be told apart.
        icons = page.locator(".bar .deeds use").evaluate_all(_ICONS)
        assert len(icons) == len(set(icons)), section
