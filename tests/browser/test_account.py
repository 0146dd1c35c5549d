"""Tokens, states and invitations at a real browser."""

import http.client

from skerry.store.people import people
from tests.browser.conftest import focused, in_sight
from tests.support.processes import PATIENCE, until


def test_a_token_made_on_the_profile_page_opens_the_interface(opened, world, ada, roof, port):
    page = opened(ada, "/profile")
    page.get_by_text("Create token").first.click()
    page.get_by_label("Note").fill("build server")
    page.get_by_role("button", name="Create token").click()
    token = page.get_by_label("The new token").input_value()
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    client.request("GET", f"/projects/{roof}.json", headers={"Host": world.host, "X-ServiceToken": token})
    answer = client.getresponse()
    assert (answer.status, b'"name":"Roof"' in answer.read()) == (200, True)
    client.close()


def test_the_dots_of_states_follow_what_is_typed(opened, ada, roof):
    page = opened(ada, f"/projects/{roof}/settings?as=text")
    page.get_by_label("Open states").fill("new/f17\nwaiting / 00f  # for tiles\nhalf")
    dots = page.locator("#dots-open_states")
    assert dots.inner_text().split() == ["new", "waiting"]
    assert dots.locator("circle").last.get_attribute("fill") == "#00f"
    page.get_by_label("Open states").fill("हिन्दी/f17\ncafe\u0301/00f\n\u0301x/00f")
    assert dots.inner_text().split() == ["हिन्दी", "cafe\u0301"]


def test_a_state_gets_another_colour_and_moves(opened, ada, roof):
    page = opened(ada, f"/projects/{roof}/settings")
    page.locator("summary[aria-label='Colour of hold']").click()
    page.get_by_role("radiogroup", name="Colour of hold").get_by_label("Violet").check()
    assert page.locator("summary[aria-label='Colour of hold'] circle").get_attribute("fill") == "#8b6cd9"
    page.get_by_label("Move hold up").click()
    page.get_by_text("Saved.").wait_for()
    saved = ada.get(f"/projects/{roof}/settings").item["closed_states"]
    assert saved.startswith("hold/8b6cd9")


def test_somebody_follows_an_invitation(opened, world, ada):
    page = opened(ada, "/administration")
    page.get_by_text("Invite people").click()
    page.get_by_label("E-mail addresses").fill(f"dora@{world.host}")
    page.get_by_role("button", name="Create invite links").click()
    copied = page.get_by_role("button", name="Copy")
    link = page.get_by_label(f"Link for dora@{world.host}", exact=True).input_value()
    copied.click()
    page.get_by_role("status").get_by_text("Copied").first.wait_for(state="attached")
    guest = opened(path=link)
    guest.get_by_label("Name").fill("Dora")
    guest.get_by_label("Password").fill("a shed full of rope")
    guest.get_by_role("button", name="Join").click()
    guest.get_by_role("group").get_by_text("Dora", exact=True).wait_for()


def test_reloading_a_page_does_not_repeat_the_confirmation(opened, ada):
    page = opened(ada, "/profile")
    page.get_by_label("Job").fill("Tiler")
    page.get_by_role("region", name="Your details").get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved.").wait_for()
    # It stands there before the script has taken it out of the address.
    until(lambda: page.evaluate("!location.search"), "the address without it")
    page.reload()
    assert page.get_by_label("Job").input_value() == "Tiler"
    assert page.get_by_text("Saved.").count() == 0


def test_a_saved_role_is_confirmed_once(opened, ada, ben):
    page = opened(ada, "/administration?q=ben")
    role = page.get_by_label("Role of Ben", exact=True)
    role.focus()
    role.select_option("administrator")
    page.get_by_role("alert").get_by_text("Saved: role of Ben").wait_for()
    focused(role)
    assert ada.get(f"/people/{ben.user_id}").item["role"] == "administrator"
    page.reload()
    assert page.get_by_text("Saved").count() == 0
    assert role.input_value() == "administrator"


def test_roles_that_are_chosen_quickly_are_saved_in_order(opened, ada, ben):
    page = opened(ada, "/administration?q=ben")
    role = page.get_by_label("Role of Ben", exact=True)
    for wanted in ("administrator", "member", "administrator", "member"):
        role.select_option(wanted)
    until(lambda: not page.evaluate("window.skerry.busy()"), "the last change")
    assert ada.get(f"/people/{ben.user_id}").item["role"] == "member"


def test_the_link_to_the_invitation_form_opens_it(opened, world, ada):
    with world.write() as transaction:
        for number in range(60):
            user_id = people.add(transaction, f"p{number}@{world.host}", f"Person {number}", "")
            people.join_account(transaction, user_id, "member")
    page = opened(ada, "/administration")
    page.get_by_role("link", name="Invite people").click()
    until(page.get_by_label("E-mail addresses").is_visible, "the form")
    assert in_sight(page.get_by_label("E-mail addresses"))
