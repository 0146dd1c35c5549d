"""Pages of bins: kept from a search, edited, put in order, chosen as the first, removed."""

import re

import pytest

from skerry.tracker import bins


@pytest.fixture
def place(roof):
    return f"/projects/{roof}/bins"


def names(client, place):
    return [found["name"] for found in client.get(place).items]


def test_a_search_is_kept_as_a_bin_which_is_then_shown(surfing, ben, roof, place):
    web = surfing(ben)
    page = web.get(f"/projects/{roof}/tickets?q=tagged:wet")
    page = web.get(next(href for href in page.links if "bins/new" in href))
    fields = dict(page.form(place).fields)
    assert fields["ticket_bin[query]"] == "tagged:wet"
    page = web.submit(page, place, **{"ticket_bin[name]": "Wet", "ticket_bin[shared]": "true"})
    assert page.status == 200
    assert "<h1><bdi>Wet</bdi></h1>" in page.source
    kept = ben.get(place).items[-1]
    assert (kept["query"], kept["shared"], kept["default"]) == ("tagged:wet", True, False)


def test_an_error_is_shown_and_the_values_stay(surfing, ben, place):
    web = surfing(ben)
    page = web.submit(
        web.get(f"{place}/new"),
        place,
        **{"ticket_bin[name]": "Wet", "ticket_bin[query]": "stat:x", "ticket_bin[shared]": "true"},
    )
    assert page.status == 422
    assert "Unknown keyword 'stat' at 1" in page.text
    form = page.form(place)
    assert ("ticket_bin[query]", "stat:x") in form.fields
    assert ("ticket_bin[shared]", "true") in form.fields


def test_editing_a_bin_does_not_undo_a_concurrent_change(surfing, ada, ben, place):
    made = ben.post(place, {"ticket_bin": {"name": "Wet", "query": "wet", "shared": True}}).item
    web, path = surfing(ben), f"{place}/{made['id']}"
    page = web.get(f"{path}/edit")
    ada.put(path, {"ticket_bin": {"query": "wet cold"}})
    page = web.submit(page, path, "put", **{"ticket_bin[name]": "Damp"})
    assert (page.status, ">wet cold</pre>" in page.source) == (412, True)
    assert ("ticket_bin[name]", "Damp") in page.form(path, "put").fields
    assert ada.get(path).item["query"] == "wet cold"
    web.submit(page, path, "put", **{"ticket_bin[query]": "wet cold"})
    assert (ada.get(path).item["name"], ada.get(path).item["query"]) == ("Damp", "wet cold")


def test_a_bin_is_edited_and_no_longer_shared_if_its_box_is_not_ticked(surfing, ada, ben, place):
    made = ben.post(place, {"ticket_bin": {"name": "Wet", "query": "wet", "shared": True}}).item
    web = surfing(ben)
    page = web.get(f"{place}/{made['id']}/edit")
    shared = [value for name, value in page.form(f"{place}/{made['id']}", "put").fields if "shared" in name]
    assert shared == ["false", "true"]
    path = f"{place}/{made['id']}"
    web.submit(page, path, "put", **{"ticket_bin[name]": "Dry", "ticket_bin[shared]": "false"})
    found = ben.get(path).item
    assert (found["name"], found["shared"]) == ("Dry", False)
    assert surfing(ada).get(f"{path}/edit").status == 404


def test_bins_are_put_in_order_one_place_at_a_time(surfing, ada, place):
    web = surfing(ada)
    before = names(ada, place)
    page = web.get(place)
    last = ada.get(place).items[-1]["id"]
    page = web.submit(page, f"{place}/{last}", "put")
    assert (page.path, names(ada, place)) == (f"{place}?at={last}", [before[0], before[2], before[1]])
    assert f'<tr id="bin-{last}">' in page.source
    first = ada.get(place).items[0]["id"]
    web.submit(page, f"{place}/{first}", "put")
    assert names(ada, place) == [before[2], before[0], before[1]]


@pytest.fixture
def shelf(ada, place):
    """The ids of 120 bins of Ada's that stand behind the first three, Wet 000 to Wet 119."""
    wanted = [{"name": f"Wet {n:03}", "query": f"tagged:leak{n}"} for n in range(120)]
    return [ada.post(place, {"ticket_bin": bin_}).item["id"] for bin_ in wanted]


def test_many_bins_come_in_pages_and_are_found_by_name_or_search(surfing, ada, place, shelf):
    web = surfing(ada)
    page = web.get(place)
    assert ("Wet 046" in page.text, "Wet 047" in page.text) == (True, False)
    page = web.get(f"{place}?page=3")
    assert ("Wet 096" in page.text, "Wet 097" in page.text) == (False, True)
    for sought in ("wet 117", "leak117"):
        page = web.submit(page, place, "get", q=sought)
        assert [href for href in page.links if href.endswith("/edit")] == [f"{place}/{shelf[117]}/edit"]
    assert "No matches" in web.get(f"{place}?q=dry").text


def test_a_bin_that_moves_to_another_page_is_shown_there(surfing, ada, place, shelf):
    web, at_end = surfing(ada), shelf[46]
    page = web.get(place)
    page.reading.forms = [
        form for form in page.reading.forms if form.action == f"{place}/{at_end}" and "Down" in form.text
    ]
    page = web.submit(page, f"{place}/{at_end}", "put")
    assert page.path == f"{place}?at={at_end}"
    assert ("Page 2 of 3" in page.text, "Wet 046" in page.text, "Wet 047" in page.text) == (True, True, False)
    assert names(ada, place)[49:51] == ["Wet 047", "Wet 046"]


@pytest.mark.usefixtures("shelf")
def test_the_first_bins_stand_in_the_side_bar_and_the_one_that_is_shown_in_the_bar(surfing, ada, roof, place):
    page = surfing(ada).get(f"/projects/{roof}/tickets?q=tagged:leak117")
    assert [name in page.text for name in ("Wet 008", "Wet 009", "Wet 117")] == [True, False, True]
    assert ("Saved views", place) in [(text, href) for href, text in page.reading.links]


def test_the_default_bin_is_each_readers_own(surfing, ada, ben, place):
    web, first = surfing(ada), ada.get(place).items[0]["id"]
    forms = [form for form in web.get(place).reading.forms if ("ticket_bin[default]", "true") in form.fields]
    page = web.get(place)
    page.reading.forms = forms
    web.submit(page, f"{place}/{first}", "put")
    assert ada.get(f"{place}/{first}").item["default"] is True
    assert ben.get(f"{place}/{first}").item["default"] is False


def test_a_bin_is_removed_and_its_tickets_stay(surfing, ada, roof, place):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    web, first = surfing(ada), ada.get(place).items[0]["id"]
    page = web.submit(web.get(f"{place}/{first}/edit"), f"{place}/{first}", "delete")
    assert (page.path, len(names(ada, place))) == (place, 2)
    assert ada.get(f"/projects/{roof}/tickets/1").status == 200


def test_a_reader_sees_views_and_changes_none(surfing, ada, cy, harbour):
    place = f"/projects/{harbour}/bins"
    page = surfing(cy).get(place)
    assert (page.status, "Open tickets" in page.text) == (200, True)
    assert [form.action for form in page.reading.forms if "bins" in form.action] == []
    assert surfing(cy).get(f"{place}/new").status == 403


def test_a_bin_that_was_counted_up_to_the_limit_says_so_everywhere(surfing, ben, roof, place, monkeypatch):
    monkeypatch.setattr(bins.search, "count", lambda *_, at_most: at_most)
    ben.post(place, {"ticket_bin": {"name": "Wet", "query": "wet", "shared": True}})
    ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    web = surfing(ben)
    for path in (place, f"/projects/{roof}/tickets"):
        assert "1,000+" in web.get(path).text


def test_views_of_all_projects_are_saved_from_their_list(surfing, ben, cy, roof, harbour):
    for project in (roof, harbour):
        ben.post(f"/projects/{project}/tickets", {"ticket": {"title": f"Leak {project}", "tag": "wet"}})
    web = surfing(ben)
    page = web.get("/tickets?q=tagged:wet")
    page = web.get(next(href for href in page.links if "bins/new" in href))
    fields = {"ticket_bin[name]": "Wet", "ticket_bin[shared]": "true", "ticket_bin[default]": "true"}
    page = web.submit(page, "/bins", **fields, **{"ticket_bin[group]": "project"})
    made = ben.get("/bins").items[0]
    assert (page.path, made["group"], made["shared"]) == (f"/bins/{made['id']}", "project", True)
    page = web.get("/tickets")
    assert 'aria-current="page"><span><bdi>Wet</bdi>' in page.source
    assert (f"Leak {roof}" in page.text, f"Leak {harbour}" in page.text) == (True, True)
    page = web.get(next(href for href, text in page.reading.links if text == "Saved views"))
    web.submit(web.get(f"/bins/{made['id']}/edit"), f"/bins/{made['id']}", "delete")
    assert names(ben, "/bins") == []
    shared = [name for name, _ in surfing(cy).get("/bins/new").form("/bins").fields if "shared" in name]
    assert shared == []


def test_a_view_stays_while_its_query_is_tried_and_is_saved_with_it(surfing, ben, roof, place):
    for tag in ("wet", "dry"):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {tag}", "tag": tag}})
    path = f"{place}/{ben.post(place, {'ticket_bin': {'name': 'Damp', 'query': 'tagged:wet'}}).item['id']}"
    web = surfing(ben)
    tried = [dict(form.fields).get("q") for form in web.get(path).reading.forms if form.action == path]
    assert "tagged:wet" in tried
    page = web.get(f"{path}?q=tagged:dry")
    assert "<h1><bdi>Damp</bdi></h1>" in page.source
    assert ("Leak dry" in page.text, "Leak wet" in page.text) == (True, False)
    page = web.submit(page, path, "put")
    assert (page.path, ben.get(path).item["query"]) == (path, "tagged:dry")
    assert [form for form in page.reading.forms if ("ticket_bin[query]", "tagged:dry") in form.fields] == []


def test_filters_and_pages_of_a_view_stay_in_it(surfing, ben, roof, place):
    for number in range(31):
        ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "tag": "wet"}})
    path = f"{place}/{ben.post(place, {'ticket_bin': {'name': 'Damp', 'query': 'tagged:wet'}}).item['id']}"
    web = surfing(ben)
    page = web.get(path)
    assert any(href.startswith(f"{path}?") and "page=2" in href for href in page.links)
    page = web.get(next(href for href in page.links if "/filter?" in href))
    page = web.get(next(href for href in page.links if "key=state" in href))
    assert page.form(path)


def test_the_side_bar_counts_views_on_each_page(surfing, ben, roof, ticket, place):
    ben.post(place, {"ticket_bin": {"name": "Damp", "query": "leak"}})
    web = surfing(ben)
    for path in (f"/projects/{roof}", ticket, f"/projects/{roof}/milestones", f"/projects/{roof}/board"):
        assert re.search(r"Damp\s+private\s+1\b", web.get(path).text)
