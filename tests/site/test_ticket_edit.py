"""Fields of a ticket that are changed where they stand, without scripts, and undone."""

import pytest

from tests.site.test_tickets import numbers


def choose(web, ticket, field, value, **query):
    """Open the page of a field and press a value, or enter it."""
    words = "".join(f"&{name}={each}" for name, each in query.items())
    page = web.get(f"{ticket}/edit?field={field}{words}")
    name = {"assignee": "assigned_user_id", "tags": "tag", "priority": "importance"}.get(field, field)
    return web.submit(page, ticket, **{f"ticket[{name}]": value})


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("state", "resolved", "state"),
        ("title", "No leak", "title"),
        ("tags", "dry", "tag"),
        ("priority", 4, "importance"),
        ("assignee", "", "assigned_user_id"),
        ("due_on", "2027-01-31", "due_on"),
    ],
)
def test_each_field_is_changed_on_a_page_of_its_own_as_one_version(surfing, ada, ticket, field, value, name):
    ada.put(ticket, {"ticket": {"assigned_user_id": ada.user_id}})
    page = choose(surfing(ada), ticket, field, value)
    item = ada.get(ticket).item
    assert (page.status, item[name] or "", item["version"]) == (200, value, 3)


@pytest.mark.parametrize(
    ("field", "value"),
    [("state", "new"), ("title", "Leak"), ("tags", "wet"), ("priority", 2), ("assignee", ""), ("due_on", "")],
)
def test_a_value_that_a_field_already_has_changes_nothing_and_leads_back(surfing, ada, ticket, field, value):
    web, version = surfing(ada), ada.get(ticket).item["version"]
    page = choose(web, ticket, field, value, next=ticket.rpartition("/")[0])
    assert (page.status, "Nothing changed." in page.text, "Undo" in page.text) == (200, True, False)
    assert page.path.partition("?")[0] == ticket.rpartition("/")[0]
    assert ada.get(ticket).item["version"] == version


def test_the_page_of_a_field_offers_what_is_possible_and_marks_what_is(surfing, ada, ben, ticket):
    web = surfing(ben)
    page = web.get(f"{ticket}/edit?field=assignee")
    assert [name for name in ("Ada", "Ben", "nobody") if name in page.text] == ["Ada", "Ben", "nobody"]
    assert 'value="" aria-current="true"' in page.source
    assert "Ada" not in web.get(f"{ticket}/edit?field=assignee&q=be").source.partition('id="options"')[2]
    assert web.get(f"{ticket}/edit?field=colour").status == 404


def test_the_last_change_can_be_undone_on_the_page_that_follows(surfing, ada, ticket):
    web = surfing(ada)
    page = choose(web, ticket, "state", "hold", next=f"{ticket}%3Fin%3Dleak")
    assert (page.path, "#1 saved" in page.text) == (
        f"{ticket}?in=leak&changed={ticket.split('/')[2]}/1",
        True,
    )
    page = web.press(page, "Undo")
    item = ada.get(ticket).item
    assert (item["state"], item["version"], "saved" in page.text) == ("new", 3, False)


def test_nothing_is_undone_that_somebody_else_has_changed_meanwhile(surfing, ada, ben, ticket):
    web = surfing(ada)
    page = choose(web, ticket, "state", "hold")
    ben.put(ticket, {"ticket": {"state": "resolved"}})
    assert web.press(page, "Undo").status == 412
    assert ada.get(ticket).item["state"] == "resolved"


def test_only_the_readers_own_last_change_is_offered_to_be_undone(surfing, ada, ben, ticket):
    ada.put(ticket, {"ticket": {"state": "hold"}})
    where = f"{ticket}?changed={ticket.split('/')[2]}/1"
    assert "saved" in surfing(ada).get(where).text
    assert "saved" not in surfing(ben).get(where).text
    for wrong in ("", "1", "x/1", "9999999/1", f"{ticket.split('/')[2]}/99", "9" * 30 + "/1"):
        assert surfing(ada).get(f"{ticket}?changed={wrong}").status == 200
    ada.put(ticket, {"ticket": {"state": "open", "body": "With words"}})
    assert "saved" not in surfing(ada).get(where).text


@pytest.mark.parametrize(
    "wanted", ["//elsewhere.example/", "https://elsewhere.example/", "/\\elsewhere.example"]
)
def test_a_change_never_leads_to_another_site(surfing, ada, ticket, wanted):
    page = surfing(ada).get(f"{ticket}/edit?field=state&next={wanted}")
    options = page.source.partition('id="options"')[2].partition("</main>")[0]
    assert ("ticket[state]" in options, "elsewhere" in options) == (True, False)


def test_strangers_get_no_page_to_change_a_field(surfing, ada, cy, harbour):
    ada.post(f"/projects/{harbour}/tickets", {"ticket": {"title": "Fog"}})
    web = surfing(cy)
    assert web.get(f"/projects/{harbour}/tickets/1/edit?field=state").status == 403
    assert "/edit?" not in web.get(f"/projects/{harbour}/tickets/1").source


def test_changes_by_one_person_within_ten_minutes_are_one_line_with_all_their_anchors(
    world, surfing, ada, ben, ticket, monkeypatch
):
    for change in ({"state": "open"}, {"tag": "wet dry"}, {"state": "hold"}):
        ada.put(ticket, {"ticket": change})
    page = surfing(ada).get(ticket)
    text = " ".join(page.text.split())
    assert numbers(page) == [1, 4]
    assert "State new → hold, Tags +dry" in text
    assert all(f'id="v{number}"' in page.source for number in (2, 3, 4))
    real = world.database.clock
    monkeypatch.setattr(world.database, "clock", lambda: real() + 11 * 60 * 1_000_000)
    ada.put(ticket, {"ticket": {"state": "resolved"}})
    assert numbers(surfing(ada).get(ticket)) == [1, 4, 5]


def test_what_ended_as_it_began_is_left_out_and_a_change_between_keeps_lines_apart(surfing, ada, ben, ticket):
    ada.put(ticket, {"ticket": {"state": "open"}})
    ada.put(ticket, {"ticket": {"state": "new"}})
    assert "→" not in surfing(ada).get(ticket).text
    ben.put(ticket, {"ticket": {"state": "hold"}})
    ada.put(ticket, {"ticket": {"state": "open"}})
    assert numbers(surfing(ada).get(ticket)) == [1, 3, 4, 5]


def test_many_lines_of_changes_in_a_row_are_folded(surfing, ada, ben, ticket):
    for number in range(8):
        (ada, ben)[number % 2].put(ticket, {"ticket": {"importance": number + 5}})
    page = surfing(ada).get(ticket)
    assert "7 changes" in page.text
    assert page.source.count('<details class="run"') == 1


def test_a_comment_that_is_only_a_command_stands_as_the_change_it_made(surfing, ada, ticket):
    ada.put(ticket, {"ticket": {"body": "[state:hold]"}})
    page = surfing(ada).get(ticket)
    assert ("[state:hold]" in page.text, "State new → hold" in " ".join(page.text.split())) == (False, True)


def test_a_change_leads_back_to_the_list_of_all_tickets_where_another_list_is_the_default(surfing, ben, roof):
    project = f"/projects/{roof}"
    ben.post(f"{project}/tickets", {"ticket": {"title": "Leak"}})
    ben.post(f"{project}/bins", {"ticket_bin": {"name": "None", "query": "moss", "default": True}})
    web = surfing(ben)
    page = web.get(f"{project}/tickets/1/edit?field=state&next={project}/tickets?q=")
    page = web.submit(page, f"{project}/tickets/1", **{"ticket[state]": "open"})
    assert f"{project}/tickets/1" in {each.partition("?")[0] for each in page.links}
