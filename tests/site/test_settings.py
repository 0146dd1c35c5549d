"""The page of a project's settings."""

from urllib.parse import urlencode

import pytest


@pytest.fixture
def page(surfing, ben, roof):
    return surfing(ben), f"/projects/{roof}/settings"


def test_settings_are_saved_and_shown(page, ben, roof):
    web, address = page
    values = {"settings[description]": "All *of it*", "settings[open_states]": "new/f17\nwaiting/00f"}
    shown = web.submit(web.get(address), address, "put", **values)
    assert (shown.status, shown.path, "Saved." in shown.text) == (200, f"{address}?saved", True)
    assert 'fill="#00f"' in shown.source
    assert ben.get(address).item["description"] == "All *of it*"


def test_states_that_cannot_be_read_are_shown_again(page):
    web, address = page
    shown = web.submit(web.get(address), address, "put", **{"settings[open_states]": "new//"})
    assert shown.status == 422
    assert "Open states line 1" in shown.text
    assert ("settings[open_states]", "new//") in shown.form(address, "put").fields


def test_saving_settings_does_not_undo_a_concurrent_change(page, ada, ben):
    web, address = page
    slow = web.get(address)
    changed = {"open_states": "new/f17\nwaiting/00f", "default_assigned_user_id": ada.user_id}
    ada.put(address, {"settings": changed})
    shown = web.submit(slow, address, "put", **{"settings[description]": "All *of it*"})
    assert shown.status == 412
    assert "Somebody changed this while you were writing" in shown.text
    assert "new/f17 waiting/00f" in shown.text
    assert "Default assignee Ada" in shown.text
    assert ("settings[description]", "All *of it*") in shown.form(address, "put").fields
    assert ben.get(address).item["open_states"].split() == ["new/f17", "waiting/00f"]
    assert web.submit(shown, address, "put").status == 200
    assert ben.get(address).item["description"] == "All *of it*"


@pytest.mark.parametrize("name", ["name", "license", "closed_states", "public"])
def test_each_setting_that_somebody_changed_meanwhile_is_told(page, ada, name):
    web, address = page
    slow = web.get(address)
    changed = {"public": True, "closed_states": "done/0f0"}.get(name, "Other")
    ada.put(address, {"settings": {name: changed}})
    assert web.submit(slow, address, "put").status == 412


def test_a_project_is_archived_and_revived(page, ben, roof):
    web, address = page
    archive = next(form for form in web.get(address).reading.forms if "Archive" in form.text)
    web.send("POST", address, body(archive), "application/x-www-form-urlencoded")
    assert ben.get(f"/projects/{roof}").item["archived"] is True
    web.submit(web.get(address), address, "put")
    assert ben.get(f"/projects/{roof}").item["archived"] is False


@pytest.mark.parametrize("archived", [False, True])
def test_a_project_is_deleted_by_who_enters_its_name(page, ben, roof, archived):
    ben.put(f"/projects/{roof}", {"project": {"archived": archived}})
    web, address = page
    shown = web.submit(web.get(address), f"/projects/{roof}", "delete", _seen="Rough")
    assert shown.status == 422
    assert ben.get(f"/projects/{roof}").status == 200
    shown = web.submit(web.get(address), f"/projects/{roof}", "delete", _seen="Roof")
    assert shown.path == "/projects"
    assert ben.get(f"/projects/{roof}").status == 404


def test_the_settings_page_is_for_members(surfing, cy, harbour):
    assert surfing(cy).get(f"/projects/{harbour}/settings").status == 403
    assert surfing().get(f"/projects/{harbour}/settings").path.startswith("/sign-in")


def body(form):
    return urlencode(form.fields).encode()


def test_whatever_milestone_new_tickets_have_stays_when_something_else_is_saved(page, ben, roof):
    web, address = page
    milestones = f"/projects/{roof}/milestones"
    titles = [f"Week {number:03}" for number in range(501)]
    made = [ben.post(milestones, {"milestone": {"title": title}}).item["id"] for title in titles]
    ben.put(address, {"settings": {"default_milestone_id": made[-1]}})
    ben.put(f"{milestones}/{made[-1]}/close")
    web.submit(web.get(address), address, "put", **{"settings[description]": "All *of it*"})
    assert ben.get(address).item["default_milestone_id"] == made[-1]
    assert ben.get(address).item["description"] == "All *of it*"


def test_members_say_whether_anybody_may_write_mails_to_the_project(page, world, ada, ben, monkeypatch):
    web, address = page
    assert "By mail" not in web.get(address).text
    monkeypatch.setattr(world.database, "mail_host", "mail.example")
    shown = web.get(address)
    assert ben.get(address).item["mail_address"] in shown.text
    web.submit(shown, address, "put", **{"settings[mail_from_anyone]": "true"})
    assert ben.get(address).item["mail_from_anyone"] is True
    slow = web.get(address)
    ada.put(address, {"settings": {"mail_from_anyone": False}})
    told = web.submit(slow, address, "put", **{"settings[description]": "Wet"})
    assert "By mail from members" in " ".join(told.text.split())


def test_states_are_edited_as_rows(page, ben):
    web, address = page
    shown = web.get(address)
    chosen = {"states[0][color]": "3b78d8", "states[1][name]": "", "states[2][hex]": "#123abc"}
    added = {
        "states[5][name]": "waiting",
        "states[5][closed]": "false",
        "levels[4][number]": "9",
        "levels[4][name]": "Now",
    }
    shown = web.submit(shown, address, "put", **chosen, **added)
    assert (shown.status, "Saved." in shown.text) == (200, True)
    saved = ben.get(address).item
    assert saved["open_states"].splitlines() == [
        "new/3b78d8  # You can add comments here",
        "# if you want to.",
        "waiting/7a808a",
    ]
    assert saved["closed_states"].splitlines()[0] == "resolved/123abc  # You can customize colors"
    assert saved["importance_levels"].splitlines()[-1] == "9 Now/7a808a"


def test_buttons_move_states(page, ben):
    web, address = page
    before = ben.get(address).item
    web.submit(web.get(address), address, "put", move="3 up")
    after = ben.get(address).item
    assert (after["closed_list"] if "closed_list" in after else after["closed_states"]).startswith("hold/")
    assert after["open_states"].split() == before["open_states"].split()


def test_rows_that_are_refused_are_shown_as_they_were_entered(page):
    web, address = page
    shown = web.submit(
        web.get(address), address, "put", **{"states[0][name]": "open", "states[0][hex]": "abc"}
    )
    assert (shown.status, "open is listed twice" in shown.text) == (422, True)
    fields = dict(shown.form(address, "put").fields)
    assert (fields["states[0][name]"], fields["states[0][color]"]) == ("open", "abc")
