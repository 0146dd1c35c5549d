"""Texts that are edited where they stand."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import focused
from tests.browser.test_ticket_files import PASTE
from tests.support.accessibility import violations


def test_a_description_is_edited_by_key_and_the_focus_returns(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    area = focused(page.get_by_label("Text"))
    area.press_sequentially(", since May")
    area.press("Control+Enter")
    page.locator("#v1 .prose", has_text="Under the stairs, since May").wait_for()
    focused(page.locator("#v1 [data-edit]"))
    assert page.get_by_label("Text").count() == 0
    assert ada.get(ticket).item["body"] == "Under the stairs, since May"


@pytest.mark.parametrize("changed", [False, True])
def test_escape_leaves_a_text_as_it_was_and_keeps_what_was_written(opened, ada, ticket, changed):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    area = focused(page.get_by_label("Text"))
    if changed:
        area.press_sequentially("!")
    area.press("Escape")
    expect(area).to_have_count(0)
    expect(page.locator("#v1 .prose")).to_be_visible()
    focused(page.locator("#v1 [data-edit]"))
    page.keyboard.press("e")
    expect(area).to_have_value("Under the stairs!" if changed else "Under the stairs")
    expect(page.get_by_text("Draft restored")).to_have_count(int(changed))
    assert ada.get(ticket).item["body"] == "Under the stairs"


def test_a_text_that_somebody_rewrote_meanwhile_says_so_in_its_place(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    area = focused(page.get_by_label("Text"))
    area.fill("Mine")
    ben.put(f"{ticket}/versions/1", {"version": {"body": "His"}})
    page.locator("#v1").get_by_role("button", name="Save").click()
    page.locator("#v1").get_by_text("This was changed while you were writing").wait_for()
    expect(page.locator("#v1 .note")).to_contain_text("His")
    expect(area).to_have_value("Mine")
    page.locator("#v1").get_by_role("button", name="Save").click()
    page.locator("#v1 .prose", has_text="Mine").wait_for()
    assert ada.get(ticket).item["body"] == "Mine"


def test_a_text_stays_open_while_another_value_is_changed(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    focused(page.get_by_label("Text")).fill("Half a sen")
    page.locator("#fact-state").click()
    page.locator(".popover").get_by_role("button", name="resolved").click()
    page.get_by_text("#1 saved: State").wait_for()
    expect(page.get_by_label("Text")).to_have_value("Half a sen")


def test_messages_and_their_comments_are_edited_where_they_stand(opened, ada, harbour):
    messages = f"/projects/{harbour}/messages"
    message = f"{messages}/{ada.post(messages, {'message': {'title': 'Storm', 'body': 'Near'}}).item['id']}"
    comment = ada.post(f"{message}/comments", {"comment": {"body": "Where?"}}).item["id"]
    page = opened(ada, message)
    for place, text in (("#message", "Far"), (f"#comment-{comment}", "Here")):
        part = page.locator(place)
        part.get_by_role("link", name="Edit", exact=True).click()
        focused(part.locator("[autofocus]"))
        part.get_by_label("Text").fill(text)
        part.get_by_role("button", name="Save").click()
        part.locator(".prose", has_text=text).wait_for()
    assert ada.get(message).item["body"] == "Far"
    assert ada.get(f"{messages}/{comment}").item["body"] == "Here"


def test_a_text_stays_open_while_what_is_new_is_shown(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    focused(page.get_by_label("Text")).fill("Half a sen")
    ben.put(ticket, {"ticket": {"body": "News"}})
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("New changes.").wait_for()
    page.get_by_role("link", name="Show", exact=True).click()
    page.locator("#v2 .prose", has_text="News").wait_for()
    expect(page.get_by_label("Text")).to_have_value("Half a sen")


def test_a_text_that_cannot_be_sent_stays_open(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    focused(page.get_by_label("Text")).fill("Into the storm")
    page.route("**/versions/1", lambda route: route.abort())
    page.locator("#v1").get_by_role("button", name="Save").click()
    page.get_by_text("The server does not respond").wait_for()
    expect(page.get_by_label("Text")).to_have_value("Into the storm")
    page.unroute("**/versions/1")
    page.locator("#v1").get_by_role("button", name="Save").click()
    page.locator("#v1 .prose", has_text="Into the storm").wait_for()


def test_axe_reports_nothing_about_a_text_that_is_edited_and_completed(opened, ada, ticket):
    page = opened(ada, ticket)
    page.keyboard.press("e")
    area = focused(page.get_by_label("Text"))
    area.press_sequentially(" #lea")
    page.get_by_role("option", name="#1 Leak").wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("script", [True, False])
def test_the_page_of_a_text_leads_back_to_it(opened, ada, ticket, script):
    page = opened(ada, ticket, script=script)
    if script:
        page.goto(f"{ticket}/versions/1/edit")
    else:
        page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Text").fill("Dry")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**{ticket}#v1")
    page.locator("#v1 .prose", has_text="Dry").wait_for()


def test_pictures_are_pasted_into_a_text_that_is_edited_where_it_stands(opened, ada, ticket):
    page = opened(ada, ticket)
    for count, name in ((1, "pasted.png"), (2, "pasted-2.png")):
        page.keyboard.press("e")
        area = focused(page.get_by_label("Text"))
        area.evaluate(PASTE)
        expect(area).to_have_value(re.compile(rf"\(attachment:{name}\)$"))
        page.locator("#v1").get_by_role("button", name="Preview").click()
        expect(page.locator("#v1 .preview img")).to_have_count(count)
        page.locator("#v1").get_by_role("button", name="Save").click()
        picture = page.locator("#v1 .prose").get_by_alt_text(name)
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 4
        focused(page.locator("#v1 [data-edit]"))
    assert page.locator(".attachments").count() == 0


def test_files_stay_chosen_while_their_text_is_refused_or_the_page_is_shown_again(opened, ada, ben, ticket):
    page = opened(ada, ticket)
    page.get_by_label("Comment").evaluate(PASTE)
    page.keyboard.press("Escape")
    page.locator("#fact-state").click()
    page.locator(".popover").get_by_role("button", name="resolved").click()
    page.get_by_text("#1 saved: State").wait_for()
    expect(page.locator(".composer [data-thumbs] img")).to_have_count(1)
    page.locator("#v1 [data-edit]").click()
    focused(page.get_by_label("Text")).evaluate(PASTE)
    ben.put(f"{ticket}/versions/1", {"version": {"body": "His"}})
    page.locator("#v1").get_by_role("button", name="Save").click()
    page.locator("#v1").get_by_text("This was changed while you were writing").wait_for()
    expect(page.locator("#v1 [data-thumbs] img")).to_have_count(1)
    page.locator("#v1").get_by_role("button", name="Save").click()
    page.locator("#v1 .prose").get_by_alt_text("pasted.png").wait_for()
    assert ada.get(ticket).item["attachments_count"] == 1
