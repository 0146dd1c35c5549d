"""How lists are shown: the layouts of saved views, and each person's own."""

import pytest

from tests.web.test_bins import add, at

pytestmark = pytest.mark.matrix("both")

LAYOUT = {"columns": "state assigned,updated", "group": "Priority", "sort": "title-, importance"}
AS_KEPT = {"columns": "state,responsible,updated", "group": "importance", "sort": "title-,importance"}


def own(client, where, **layout):
    answer = client.put(f"/profile/lists/{where}", {"list_settings": layout})
    assert answer.status == 200, answer.body
    return answer.item


def test_a_view_keeps_its_layout_in_the_words_of_the_query_language(ada, roof):
    found = add(ada, roof, **LAYOUT)
    assert {name: found[name] for name in AS_KEPT} == AS_KEPT
    changed = ada.put(at(found), {"ticket_bin": {"group": "", "sort": "number number-"}}).item
    assert (changed["columns"], changed["group"], changed["sort"]) == (AS_KEPT["columns"], "", "number")


@pytest.mark.parametrize(("field", "word"), [("columns", "colour"), ("group", "title"), ("sort", "-title")])
def test_an_unknown_word_in_a_layout_is_refused_by_name(ada, roof, field, word):
    sentence = f"{field.title()} cannot contain '{word}'; choose from "
    for answer in (
        ada.post(f"/projects/{roof}/bins", {"ticket_bin": {"name": "Mine", field: word}}),
        ada.put(f"/profile/lists/{roof}", {"list_settings": {field: word}}),
    ):
        assert answer.status == 422
        assert answer.errors[0].startswith(sentence)
    assert ada.get(f"/profile/lists/{roof}").item[field] == ""


def test_columns_may_be_sent_as_a_list(ada, roof):
    assert own(ada, roof, columns=["", "state", "assigned"])["columns"] == "state,responsible"
    answer = ada.put(f"/profile/lists/{roof}", {"list_settings": {"columns": ["state", "colour"]}})
    assert (answer.status, answer.errors[0][:32]) == (422, "Columns cannot contain 'colour';")


def test_the_title_may_be_among_the_columns(ada, roof):
    assert own(ada, roof, columns="number, title,state")["columns"] == "number,title,state"
    assert own(ada, roof, columns="title")["columns"] == "title"
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak"}})
    assert b"Leak" in ada.get(f"/projects/{roof}/tickets!", Accept="text/html").body


def test_a_group_is_one_word(ada, roof):
    answer = ada.put(f"/profile/lists/{roof}", {"list_settings": {"group": "state milestone"}})
    assert (answer.status, answer.errors) == (422, ["Group must be a single word"])


def test_everybody_has_settings_of_their_own_for_each_list(ada, ben, roof, harbour):
    empty = {"columns": "", "group": "", "sort": ""}
    assert own(ada, roof, **LAYOUT) == AS_KEPT | {"project_id": roof}
    assert own(ada, "all", group="project") == empty | {"group": "project", "project_id": None}
    assert ada.get(f"/profile/lists/{roof}").item == AS_KEPT | {"project_id": roof}
    assert ada.get(f"/profile/lists/{harbour}").item == empty | {"project_id": harbour}
    assert ben.get(f"/profile/lists/{roof}").item == empty | {"project_id": roof}
    assert ben.get("/profile/lists/all").item == empty | {"project_id": None}


def test_a_layout_changes_no_list_of_the_interface(ada, roof):
    for title in ("Bell", "Anchor"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    own(ada, roof, sort="number")
    assert [ticket["title"] for ticket in ada.get(f"/projects/{roof}/tickets").items] == ["Anchor", "Bell"]


def test_the_settings_of_an_archived_project_can_still_be_changed(ada, roof):
    ada.put(f"/projects/{roof}", {"project": {"archived": True}})
    assert own(ada, roof, sort="title")["sort"] == "title"
