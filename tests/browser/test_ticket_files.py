"""Files of a ticket in a real browser: pasted, dropped, chosen and taken back."""

from functools import partial

from tests.browser.conftest import focused, in_sight, saved
from tests.support.processes import until

TOO_IMPORTANT = """(area) => {
  const field = document.createElement("input");
  area.form.append(Object.assign(field, { name: "ticket[importance]", value: "9999999999" }));
}"""
PASTE = """(area) => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 4, height: 4 });
  const bytes = Uint8Array.from(atob(canvas.toDataURL().split(",")[1]), (each) => each.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
  area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""

# As office programs write to the clipboard: a picture of the text beside it.
PASTE_TEXT = """(area) => {
  const data = new DataTransfer();
  for (const kind of ["text/plain", "text/html"]) data.setData(kind, "four cells");
  data.items.add(new File(["picture"], "image.png", { type: "image/png" }));
  const how = { clipboardData: data, bubbles: true, cancelable: true };
  return area.dispatchEvent(new ClipboardEvent("paste", how));
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


def note(name):
    """Return a small file as it is chosen."""
    return {"name": name, "mimeType": "text/plain", "buffer": b"hello"}


def test_a_ticket_is_filed_with_a_pasted_picture(opened, ada, tickets):
    page = opened(ada, f"{tickets}/new")
    page.get_by_label("Title", exact=True).fill("Leak")
    page.get_by_label("Description").fill("See the *picture*")
    page.get_by_label("Description").evaluate(PASTE)
    assert page.locator("[data-thumbs] img").count() == 1
    saved(page, "Create ticket")
    page.wait_for_url(f"**{tickets}/1")
    picture = page.get_by_alt_text("pasted.png")
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 4
    assert ada.get(f"{tickets}/1").item["attachments"][0]["content_type"] == "image/png"


def test_pictures_stand_at_the_caret_in_the_preview_and_in_the_comment(opened, ada, ticket):
    page = opened(ada, ticket)
    area = page.get_by_label("Comment")
    area.fill("Before  after")
    area.evaluate("(found) => found.setSelectionRange(7, 7)")
    for _ in range(2):
        area.evaluate(PASTE)
    shown = "![pasted.png](attachment:pasted.png)![pasted-2.png](attachment:pasted-2.png)"
    assert area.input_value() == f"Before {shown} after"
    page.get_by_role("button", name="Remove: pasted-2.png").click()
    assert area.input_value() == "Before ![pasted.png](attachment:pasted.png) after"
    page.get_by_role("button", name="Preview").click()
    page.locator(".preview").get_by_alt_text("pasted.png").wait_for()
    saved(page, "Comment")
    picture = page.locator("#v2 p").get_by_alt_text("pasted.png")
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 4
    assert page.get_by_alt_text("pasted.png").count() == 1


def test_files_that_firefox_keeps_and_drops_are_shown_and_sent(opened, ada, ticket):
    page = opened(ada, path=None)
    page.add_init_script(REFILL)
    page.goto(ticket)
    page.locator("label", has_text="Comment").evaluate(DROP)
    assert page.locator("[data-thumbs] li").count() == 2
    page.get_by_label("Comment").fill("Both")
    saved(page, "Comment")
    page.get_by_role("link", name="dropped.txt").wait_for()
    names = [each["filename"] for each in ada.get(ticket).item["attachments"]]
    assert names == ["kept.txt", "dropped.txt"]


def test_files_that_are_refused_with_their_form_stay_chosen(opened, ada, ticket):
    page = opened(ada, ticket)
    area = page.get_by_label("Comment")
    area.fill("Too important")
    area.evaluate(PASTE)
    area.evaluate(TOO_IMPORTANT)
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_text("Importance must be a whole number from 0 to 2147483647").wait_for()
    assert page.locator("[data-thumbs] img").count() == 1
    saved(page, "Comment")
    assert page.get_by_alt_text("pasted.png").count() == 1


def test_files_are_chosen_one_after_the_other_and_taken_back(opened, ada, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").evaluate(PASTE)
    for name in ("a.txt", "b.txt"):
        page.locator("input[type=file]").set_input_files(note(name))
    page.get_by_role("button", name="Remove: a.txt").click()
    focused(page.get_by_role("button", name="Add files"))
    assert [each.split()[0] for each in page.locator("[data-thumbs] li").all_inner_texts()] == [
        "pasted.png",
        "b.txt",
    ]
    saved(page, "Comment")
    page.get_by_role("link", name="b.txt").wait_for()
    assert [each["filename"] for each in ada.get(ticket).item["attachments"]] == ["pasted.png", "b.txt"]


def test_a_reply_with_files_is_shown_after_it_is_sent(opened, ada, ticket):
    page = opened(ada, ticket, size="phone")
    for number in (2, 3):
        page.get_by_label("Comment").fill("A long story.\n\n" * 50)
        page.locator("input[type=file]").set_input_files(note(f"{number}.txt"))
        saved(page, "Comment")
        page.get_by_role("link", name=f"{number}.txt").wait_for()
        assert page.evaluate("location.hash") == "#newest"
        until(partial(in_sight, page.locator(f"#v{number} header")), "the reply")


def test_a_text_that_is_pasted_with_a_picture_of_itself_is_a_text(opened, ada, ticket):
    page = opened(ada, ticket)
    assert page.get_by_label("Comment").evaluate(PASTE_TEXT)
    assert page.locator("[data-thumbs] li").count() == 0


def test_files_that_take_long_are_sent_once_however_often_somebody_presses(opened, ada, ticket):
    page = opened(ada, path=None)
    page.clock.install()
    page.goto(ticket)
    held = []

    def hold(route):
        held.append(route) if route.request.method == "POST" else route.continue_()

    page.route(f"**{ticket}?*", hold)
    page.locator("input[type=file]").set_input_files(note("a.txt"))
    for _ in range(3):
        page.get_by_role("button", name="Comment", exact=True).click()
        page.clock.run_for(6_000)
    assert [route.request.method for route in held] == ["POST"]
    held[0].continue_()
    page.get_by_role("link", name="a.txt").wait_for()
