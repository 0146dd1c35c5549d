"""The page that creates a ticket, without scripts."""

from tests.site.test_replies import PNG
from tests.support.forms import file


def test_a_new_ticket_is_opened_with_a_file(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}/new")
    files = [file(PNG, "stairs.png", "image/png")]
    values = {"ticket[title]": "Leak", "ticket[body]": "Drip", "ticket[state]": "open", "ticket[tag]": "wet"}
    page = web.submit(page, tickets, "post", files=files, **values)
    assert (page.status, page.path) == (200, f"{tickets}/1")
    item = ada.get(f"{tickets}/1").item
    assert (item["title"], item["state"], item["tag"], len(item["attachments"])) == ("Leak", "open", "wet", 1)


def test_a_new_ticket_without_a_title_is_shown_again(surfing, ada, tickets):
    web = surfing(ada)
    values = {"ticket[title]": " ", "ticket[body]": "Drip, drip", "ticket[state]": "hold"}
    page = web.submit(web.get(f"{tickets}/new"), tickets, "post", **values)
    assert page.status == 422
    assert "Title can't be blank" in page.text
    fields = page.form(tickets, "post").fields
    assert ("ticket[body]", "Drip, drip") in fields
    assert ("ticket[state]", "hold") in fields


def test_the_address_may_fill_in_a_new_ticket(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/new?ticket%5Btitle%5D=%22%3E%3Cb%3E&ticket%5Bstate%5D=hold")
    assert "<b>" not in page.source
    fields = page.form(tickets, "post").fields
    assert ("ticket[title]", '"><b>') in fields
    assert ("ticket[state]", "hold") in fields


def test_the_address_may_name_a_state_in_any_case(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/new?ticket[state]=Hold")
    assert ("ticket[state]", "hold") in page.form(tickets, "post").fields


def test_an_assignee_who_cannot_be_chosen_is_shown_by_id(surfing, ada, cy, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}/new?ticket[assigned_user_id]={cy.user_id}")
    assert page.status == 200
    assert f'<option value="{cy.user_id}" selected>#{cy.user_id}</option>' in page.source
    page = web.submit(page, tickets, "post", **{"ticket[title]": "Moss"})
    assert page.status == 422
    assert ("ticket[title]", "Moss") in page.form(tickets, "post").fields


def test_a_stranger_opens_a_ticket_with_title_text_and_tags(surfing, cy, harbour):
    web = surfing(cy)
    page = web.get(f"/projects/{harbour}/tickets/new")
    assert "ticket[state]" not in page.source
    values = {"ticket[title]": "Fog", "ticket[body]": "", "ticket[tag]": "grey"}
    page = web.submit(page, f"/projects/{harbour}/tickets", "post", **values)
    assert page.path == f"/projects/{harbour}/tickets/1"
    assert "grey" in page.text


def test_a_form_that_is_filled_in_anew_opens_another_ticket(surfing, ada, tickets):
    web = surfing(ada)
    page = web.get(f"{tickets}/new")
    for title in ("Leak", "Leak", "Drip"):
        assert web.submit(page, tickets, "post", **{"ticket[title]": title}).status == 200
    assert {each["title"] for each in ada.get(tickets).items} == {"Leak", "Drip"}
    assert len(ada.get(tickets).items) == 2
