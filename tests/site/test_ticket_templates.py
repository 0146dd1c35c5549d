"""Pages of a project's templates, and the form that they fill in."""

import pytest

LEAK = {"name": "Leak", "title": "Leak: ", "body": "Since <when>?", "tag": "rain"}


@pytest.fixture
def templates(roof):
    return f"/projects/{roof}/templates"


def add(somebody, templates, **values):
    return somebody.post(templates, {"template": {**LEAK, **values}}).item


def fields(page, path):
    return dict(page.form(path, "post").fields)


def test_a_template_is_made_changed_and_deleted_on_pages(surfing, ada, templates):
    web = surfing(ada)
    page = web.submit(web.get(f"{templates}/new"), templates, **{"template[name]": "Leak"})
    assert (page.path, "Leak" in page.text) == (templates, True)
    at = f"{templates}/1"
    page = web.submit(web.get(at), at, "put", **{"template[body]": "Since when?"})
    assert (page.path, ada.get(at).item["body"]) == (templates, "Since when?")
    page = web.submit(web.get(at), at, "delete")
    assert (page.path, ada.get(templates).items) == (templates, [])


def test_a_refused_template_is_shown_again_as_it_was_entered(surfing, ada, templates):
    add(ada, templates)
    web = surfing(ada)
    values = {"template[name]": "leak", "template[body]": "Where?"}
    page = web.submit(web.get(f"{templates}/new"), templates, **values)
    assert (page.status, "Name has already been taken" in page.text) == (422, True)
    assert fields(page, templates)["template[body]"] == "Where?"


def test_editing_a_template_does_not_undo_a_concurrent_change(surfing, ada, ben, templates):
    at = f"{templates}/{add(ada, templates)['id']}"
    web = surfing(ben)
    page = web.get(at)
    ada.put(at, {"template": {"body": "Where?"}})
    page = web.submit(page, at, "put", **{"template[name]": "Damp"})
    assert (page.status, "Where?" in page.text, ada.get(at).item["name"]) == (412, True, "Leak")


def test_a_template_fills_in_a_new_ticket(surfing, ada, ben, templates, tickets):
    add(ada, templates, assigned_user_id=ben.user_id)
    web = surfing(ada)
    page = web.get(f"{tickets}/new")
    assert fields(page, tickets)["ticket[title]"] == ""
    page = web.get(next(href for href in page.links if "?template=" in href))
    filled = fields(page, tickets)
    assert (filled["ticket[title]"], filled["ticket[body]"]) == ("Leak: ", "Since <when>?")
    assert (filled["ticket[tag]"], filled["ticket[assigned_user_id]"]) == ("rain", str(ben.user_id))
    web.submit(page, tickets, **{"ticket[title]": "Leak: attic"})
    assert ada.get(f"{tickets}/1").item["tag"] == "rain"


def test_a_value_in_the_address_comes_before_that_of_a_template(surfing, ada, templates, tickets):
    add(ada, templates)
    page = surfing(ada).get(f"{tickets}/new?template=LEAK&ticket[title]=Attic")
    filled = fields(page, tickets)
    assert (filled["ticket[title]"], filled["ticket[tag]"]) == ("Attic", "rain")


def test_a_template_that_is_not_there_is_said_and_the_form_stays_empty(surfing, ada, tickets):
    page = surfing(ada).get(f"{tickets}/new?template=<b>Leak")
    assert "This project has no template called <b>Leak." in page.text
    assert fields(page, tickets)["ticket[title]"] == ""


def test_a_template_names_nobody_who_has_left(surfing, world, ada, ben, roof, templates, tickets):
    add(ada, templates, assigned_user_id=ben.user_id)
    people = {each["user_id"]: each["id"] for each in ada.get(f"/projects/{roof}/memberships").items}
    ada.delete(f"/projects/{roof}/memberships/{people[ben.user_id]}")
    page = surfing(ada).get(f"{tickets}/new?template=Leak")
    assert fields(page, tickets)["ticket[assigned_user_id]"] == ""


def test_guests_use_templates_and_do_not_change_them(surfing, ada, cy, harbour):
    add(ada, f"/projects/{harbour}/templates")
    web = surfing(cy)
    page = web.get(f"/projects/{harbour}/templates")
    assert ("Leak" in page.text, f"/projects/{harbour}/templates/1" in page.links) == (True, False)
    page = web.get(next(href for href in page.links if "?template=" in href))
    assert fields(page, f"/projects/{harbour}/tickets")["ticket[tag]"] == "rain"
    assert web.get(f"/projects/{harbour}/templates/1").status == 403
