"""One ticket in a real browser: files, drafts, keys, and two people at once."""

from functools import partial

import pytest

from tests.browser.conftest import focused
from tests.programs import until

PASTE = """(area) => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 4, height: 4 });
  const bytes = Uint8Array.from(atob(canvas.toDataURL().split(",")[1]), (each) => each.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
  area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""

# As Firefox does when a page is loaded again, and where it drops onto the text of a label.
REFILL = """document.addEventListener("readystatechange", () => {
  const input = document.querySelector("input[type=file]");
  if (!input || document.readyState !== "interactive") return;
  const data = new DataTransfer();
  data.items.add(new File(["kept"], "kept.txt"));
  input.files = data.files;
})"""
DROP = """(label) => {
  const data = new DataTransfer();
  data.items.add(new File(["dropped"], "dropped.txt"));
  const how = { dataTransfer: data, bubbles: true, cancelable: true };
  label.firstChild.dispatchEvent(new DragEvent("drop", how));
}"""


@pytest.fixture
def ticket(ada, tickets):
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "Under the stairs"}})
    return f"{tickets}/1"


@pytest.fixture
def ten(ada, tickets):
    """Ten new tickets, 10 being the newest."""
    for number in range(1, 11):
        ada.post(tickets, {"ticket": {"title": f"Ticket {number}"}})


def saved(page, button="Save"):
    """Press a button and wait for the page that follows."""
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


def test_a_ticket_is_filed_with_a_pasted_picture(opened, ada, tickets):
    page = opened(ada, f"{tickets}/new")
    page.get_by_label("Title", exact=True).fill("Leak")
    page.get_by_label("Description").fill("See the *picture*")
    page.get_by_label("Description").evaluate(PASTE)
    assert page.locator("[data-thumbs] img").count() == 1
    saved(page, "Open the ticket")
    page.wait_for_url(f"**{tickets}/1")
    picture = page.get_by_alt_text("pasted.png")
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 4
    assert ada.get(f"{tickets}/1").item["attachments"][0]["content_type"] == "image/png"


def test_files_that_firefox_keeps_and_drops_are_shown_and_sent(opened, ada, ticket):
    page = opened(ada, "/projects")
    page.add_init_script(REFILL)
    page.goto(ticket)
    page.locator("label", has_text="Comment").evaluate(DROP)
    assert page.locator("[data-thumbs] li").count() == 2
    page.get_by_label("Comment").fill("Both")
    saved(page)
    page.get_by_role("link", name="dropped.txt").wait_for()
    names = [each["filename"] for each in ada.get(ticket).item["attachments"]]
    assert names == ["kept.txt", "dropped.txt"]


def test_files_that_are_refused_with_their_form_stay_chosen(opened, ada, ticket):
    page = opened(ada, ticket)
    area = page.get_by_label("Comment")
    area.fill("Too important")
    area.evaluate(PASTE)
    page.get_by_label("Importance").evaluate(
        "(field) => { field.removeAttribute('max'); field.value = 99999; }"
    )
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Importance must be a whole number from 0 to 9999").wait_for()
    assert page.locator("[data-thumbs] img").count() == 1
    page.get_by_label("Importance").fill("9")
    saved(page)
    assert page.get_by_alt_text("pasted.png").count() == 1


def in_sight(part):
    """Say whether a part of a page begins in its window."""
    return 0 <= part.bounding_box()["y"] < part.page.viewport_size["height"]


def note(name):
    """Give a small file as it is chosen."""
    return {"name": name, "mimeType": "text/plain", "buffer": b"hello"}


def test_files_are_chosen_one_after_the_other_and_taken_back(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").evaluate(PASTE)
    for name in ("a.txt", "b.txt"):
        page.locator("input[type=file]").set_input_files(note(name))
    page.get_by_role("button", name="Remove: a.txt").click()
    focused(page.locator("input[type=file]"))
    assert [each.split()[0] for each in page.locator("[data-thumbs] li").all_inner_texts()] == [
        "pasted.png",
        "b.txt",
    ]
    saved(page)
    page.get_by_role("link", name="b.txt").wait_for()
    assert [each["filename"] for each in ada.get(ticket).item["attachments"]] == ["pasted.png", "b.txt"]


def test_whoever_replied_sees_it_with_files_as_well(opened, ada, ticket):
    page = opened(ada, ticket, size="phone")
    for number in (2, 3):
        page.get_by_label("Comment").fill("A long story.\n\n" * 50)
        page.locator("input[type=file]").set_input_files(note(f"{number}.txt"))
        saved(page)
        page.get_by_role("link", name=f"{number}.txt").wait_for()
        assert page.evaluate("location.hash") == "#newest"
        until(partial(in_sight, page.locator(f"#v{number} header")), "the reply")


def test_a_title_that_was_emptied_and_folded_away_is_told(opened, ada, ticket):
    page = opened(ada, ticket)
    fold = page.locator(".reply summary")
    fold.click()
    page.get_by_label("Title", exact=True).fill("")
    fold.click()
    saved(page)
    focused(page.get_by_role("alert").filter(has_text="Title can't be blank"))
    assert page.get_by_label("Title", exact=True).is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_what_could_not_be_saved_is_in_sight_below_a_long_conversation(opened, ada, ticket, script):
    ada.put(ticket, {"ticket": {"body": "A long story.\n\n" * 100}})
    page = opened(ada, ticket, script=script)
    saved(page)
    problem = focused(page.get_by_role("alert").filter(has_text="There is nothing to save"))
    assert in_sight(problem)


@pytest.mark.parametrize("script", [True, False])
def test_two_people_who_change_one_ticket_lose_nothing(opened, ada, ben, ticket, script):
    slow, fast = opened(ada, ticket, script=script), opened(ben, ticket, script=script)
    slow.get_by_label("Comment").fill("Slow words")
    slow.get_by_label("Tags").fill("wet")
    fast.get_by_label("State").select_option("open")
    fast.get_by_label("Comment").fill("I was faster")
    saved(fast)
    saved(slow)
    assert slow.get_by_text("Ben changed this while you were writing.").is_visible()
    assert slow.get_by_label("Comment").input_value() == "Slow words"
    assert slow.get_by_label("State").input_value() == "open"
    saved(slow)
    item = ada.get(ticket).item
    assert (item["state"], item["tag"]) == ("open", "wet")
    assert [version["body"] for version in item["versions"][1:]] == ["I was faster", "Slow words"]


def test_something_new_is_said_without_touching_what_is_written(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a sen")
    ben.put(ticket, {"ticket": {"body": "News"}})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("There is something new here.").wait_for()
    assert page.get_by_label("Comment").input_value() == "Half a sen"


def test_a_draft_survives_until_it_is_sent(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Half a sentence")
    page.goto("/projects")
    page.goto(ticket)
    assert page.get_by_text("Draft restored").is_visible()
    assert page.get_by_label("Comment").input_value() == "Half a sentence"
    page.get_by_label("Comment").fill("A whole sentence")
    saved(page)
    assert page.get_by_label("Comment").input_value() == ""
    assert page.evaluate("localStorage.length") == 0


def test_a_draft_survives_a_server_that_does_not_answer(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Into the storm")
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("chrome-error://**")
    page.unroute("**/*")
    page.goto(ticket)
    assert page.get_by_label("Comment").input_value() == "Into the storm"


def test_a_draft_is_thrown_away(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Nonsense")
    page.reload()
    page.get_by_role("button", name="Discard").click()
    assert page.get_by_label("Comment").input_value() == ""
    page.reload()
    assert page.get_by_label("Comment").input_value() == ""


def test_a_comment_is_shown_before_it_is_sent(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").fill("Quite **wet**")
    page.get_by_role("button", name="Preview").click()
    page.locator(".preview strong", has_text="wet").wait_for()
    page.get_by_role("button", name="Preview").click()
    assert page.get_by_label("Comment").is_visible()
    assert ada.get(ticket).item["version"] == 1


def test_no_page_and_no_preview_fetches_a_picture_from_elsewhere(opened, ada, ticket):
    text = "![Plan](https://x.example/a.png) ![Own](/static/logo.svg)"
    ada.put(ticket, {"ticket": {"body": text}})
    page, asked = opened(ada, ticket), []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_label("Comment").fill(text)
    page.get_by_role("button", name="Preview").click()
    for place in (".turn", ".preview"):
        link = page.locator(place).get_by_role("link", name="Plan")
        assert link.get_attribute("href") == "https://x.example/a.png"
        page.locator(place).get_by_alt_text("Own").wait_for()
    assert [url for url in asked if "x.example" in url] == []


def test_a_preview_that_does_not_come_is_told(opened, ada, ticket):
    page = opened(ada, ticket)
    page.route("**/preview.json", lambda route: route.fulfill(status=503))
    page.get_by_label("Comment").fill("Quite **wet**")
    page.get_by_role("button", name="Preview").click()
    page.locator(".preview").get_by_text("Nothing is lost: try again").wait_for()
    page.get_by_role("button", name="Preview").click()
    assert page.get_by_label("Comment").input_value() == "Quite **wet**"


def test_the_command_box_changes_the_ticket_in_one_version(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("Control+k")
    page.keyboard.type("state:resolved responsible:me tagged:wet importance:3")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    item = ada.get(ticket).item
    assert (item["version"], item["state"], item["tag"], item["importance"]) == (2, "resolved", "wet", 3)
    assert item["assigned_user_id"] == ada.user_id


@pytest.mark.usefixtures("ten")
def test_ten_tickets_are_gone_through_by_keys_alone(opened, ada, tickets):
    page = opened(ada, f"{tickets}?q=sort:number-")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for number in range(10, 0, -1):
        assert page.locator("h1").inner_text() == f"#{number} Ticket {number}"
        page.keyboard.press("Control+k")
        page.keyboard.type("state:resolved" if number % 2 else "state:open responsible:me")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        if number > 1:
            with page.expect_navigation():
                page.keyboard.press("j")
    found = ada.get(f"{tickets}?q=state:resolved&limit=20").items
    assert sorted(each["number"] for each in found) == [1, 3, 5, 7, 9]


def test_what_is_written_is_sent_by_keys_alone(opened, ada, tickets):
    page = opened(ada, f"{tickets}/new")
    focused(page.get_by_label("Title", exact=True))
    page.keyboard.type("Leak")
    page.keyboard.press("Tab")
    page.keyboard.type("Under the stairs")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    page.keyboard.press("r")
    page.keyboard.type("It grows")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert [each["body"] for each in ada.get(f"{tickets}/1/versions").items] == [
        "Under the stairs",
        "It grows",
    ]


def test_keys_lead_everywhere_and_never_while_one_writes(opened, ada, ticket, tickets):
    page = opened(ada, ticket)
    page.keyboard.press("r")
    page.keyboard.type("?cm/e")
    assert page.get_by_label("Comment").input_value() == "?cm/e"
    page.get_by_label("Comment").fill("")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keyboard shortcuts").is_visible()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for(state="hidden")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.name === 'q'")
    page.evaluate("document.activeElement.blur()")
    for keys, wanted, first in (
        ("m", ticket, None),
        ("e", f"{ticket}/versions/1/edit", "version[body]"),
        ("c", f"{tickets}/new", "ticket[title]"),
    ):
        with page.expect_navigation():
            page.keyboard.press(keys)
        assert page.evaluate("location.pathname") == wanted
        if first:
            focused(page.locator(f"[name='{first}']")).blur()
    assert ada.get(ticket).item["assigned_user_id"] == ada.user_id
    page.keyboard.press("g")
    with page.expect_navigation():
        page.keyboard.press("p")
    assert page.evaluate("location.pathname") == "/projects"
