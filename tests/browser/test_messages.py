"""Conversations in a browser."""

import pytest

from skerry.store import messages as store
from tests.browser.conftest import focused, in_sight
from tests.support.processes import until

PASTE = """(area) => {
  const data = new DataTransfer();
  data.items.add(new File(["x"], "image.png", { type: "image/png" }));
  area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def said(world, ben, harbour):
    """The address of a message and the ids of 60 comments on it."""
    item = ben.post(f"/projects/{harbour}/messages", {"message": {"title": "Hello"}}).item
    with world.write() as transaction:
        ids = [
            store.add_comment(
                transaction, harbour, item["id"], user_id=ben.user_id, body="Ahoy", body_html="<p>Ahoy</p>"
            )
            for _ in range(60)
        ]
    return f"/projects/{harbour}/messages/{item['id']}", ids


def test_a_link_from_elsewhere_finds_a_comment_on_a_later_page(opened, ben, said):
    address, ids = said
    page = opened(ben, f"{address}#comment-{ids[-1]}")
    comment = page.locator(f"#comment-{ids[-1]}")
    until(comment.is_visible, "the comment")
    until(lambda: in_sight(comment), "the comment in the window")
    assert page.get_by_text("Page 2 of 2").count() > 0
    page.goto(f"{address}#comment-{ids[0]}")
    assert page.url.endswith(f"{address}#comment-{ids[0]}")


def test_a_link_to_a_comment_that_is_gone_shows_its_conversation(opened, ben, harbour, said):
    address, ids = said
    assert ben.delete(f"/projects/{harbour}/messages/{ids[-1]}").status == 200
    page = opened(ben, f"{address}#comment-{ids[-1]}")
    page.wait_for_load_state("networkidle")
    assert page.url.endswith(f"{address}#comment-{ids[-1]}")
    assert page.get_by_text("59 comments").is_visible()


def test_a_key_edits_a_message_where_it_stands(opened, ben, harbour):
    item = ben.post(f"/projects/{harbour}/messages", {"message": {"title": "Hello", "body": "Ahoy"}}).item
    page = opened(ben, f"/projects/{harbour}/messages/{item['id']}")
    page.keyboard.press("e")
    focused(page.get_by_label("Title")).fill("Hello again")
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Hello again").wait_for()


def test_a_picture_that_is_pasted_into_a_message_is_not_lost_in_silence(opened, ben, harbour):
    page = opened(ben, f"/projects/{harbour}/messages/new")
    page.get_by_label("Text", exact=True).evaluate(PASTE)
    page.get_by_text("Files can be added to tickets and their comments only.").wait_for()
