"""Names of people and milestones in searches."""

import unicodedata
from urllib.parse import quote

import pytest

from tests.web.searching import found, open_ticket


@pytest.mark.matrix("databases")
def test_people_are_found_by_name_id_or_login(ada, ben, harbour):
    open_ticket(ben, harbour, "By Ben")
    open_ticket(ada, harbour, "By Ada")
    for name in ("ben", "BEN", ben.user_id, ben.email, ben.email.upper()):
        assert found(ada, harbour, f"reported_by:{name}") == ["By Ben"]
    assert found(ben, harbour, "-reported_by:me") == ["By Ada"]
    assert found(ada, harbour, "reported_by:somebody") == []


def test_outsiders_of_a_public_project_cannot_search_by_login(ben, cy, nobody, harbour):
    open_ticket(ben, harbour, "By Ben")
    for client in (cy, nobody):
        assert found(client, harbour, f"reported_by:{ben.email}") == []
        assert found(client, harbour, "reported_by:Ben") == ["By Ben"]
    assert found(nobody, harbour, "responsible:me") == []


@pytest.mark.matrix("databases")
def test_tickets_by_state_come_by_its_name_in_capitals_or_not(ada, roof):
    states = {"open_states": "wet/f17\nDry/aaa\ncold/bbb", "closed_states": "Done/6a0\nabandoned/a30"}
    ada.put(f"/projects/{roof}/settings", {"settings": states})
    for state in ("Done", "wet", "Dry", "abandoned", "cold"):
        open_ticket(ada, roof, f"Is {state}", state=state)
    by_name = ["Is cold", "Is Dry", "Is wet", "Is abandoned", "Is Done"]
    assert found(ada, roof, "sort:state") == by_name
    assert found(ada, roof, "sort:state-") == by_name[::-1]


@pytest.mark.matrix("databases")
def test_the_next_milestone_of_a_query_is_the_first_of_the_list_as_it_is_in_commands(ada, roof):
    milestones = f"/projects/{roof}/milestones"
    for title in ("Beta", "alpha", "Gamma"):
        due = {"title": title, "due_on": "2040-01-01"}
        milestone = ada.post(milestones, {"milestone": due}).item["id"]
        open_ticket(ada, roof, title, milestone_id=milestone)
    open_ticket(ada, roof, "Commanded", body="[milestone:next]")
    assert found(ada, roof, "milestone:next") == ["Commanded", "alpha"]
    listed = [milestone["title"] for milestone in ada.get(milestones).items]
    assert found(ada, roof, "sort:milestone+sort:number+-Commanded") == listed == ["alpha", "Beta", "Gamma"]


def test_without_a_milestone_to_come_the_next_one_is_refused_with_its_place(ada, roof):
    add = f"/projects/{roof}/milestones"
    ada.post(add, {"milestone": {"title": "Late", "due_on": "2020-01-01"}})
    ada.post(add, {"milestone": {"title": "Some day"}})
    sentence = "The 'next' at 23 matches no milestone: no open one is due today or later"
    for path in (f"/projects/{roof}/tickets", "/tickets"):
        answer = ada.get(f"{path}?q=state:open+-milestone:next")
        assert (answer.status, answer.errors) == (422, [sentence])
    edit = {"query": "state:open -milestone:next", "command": "tagged:wet"}
    assert ada.post(f"/projects/{roof}/bulk_edit", {"bulk_edit": edit}).errors == [sentence]
    made = ada.post(f"/projects/{roof}/bins", {"bin": {"name": "Next", "query": "milestone:next"}})
    assert (made.status, made.item["tickets_count"]) == (201, 0)


def test_a_person_called_none_is_found_with_quotes(ada, ben, roof):
    ben.post("/profile", {"user": {"name": "None"}})
    open_ticket(ada, roof, "His", assigned_user_id=ben.user_id, tag="wet")
    open_ticket(ada, roof, "Nobody's", tag="wet")
    for name, titles in (("none", ["Nobody's"]), ('"None"', ["His"]), ("'none'", ["His"])):
        assert found(ada, roof, quote(f"responsible:{name}")) == titles
        assert found(ada, roof, quote(f"assigned:{name} tagged:wet")) == titles
        assert found(ada, roof, quote(f"-responsible:({name})")) != titles
    assert found(ada, roof, "responsible:(none,'None')") == ["Nobody's", "His"]


def test_a_milestone_called_none_is_named_between_quotes_and_no_milestone_without(ada, roof):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "None"}}).item["id"]
    open_ticket(ada, roof, "In it", milestone_id=milestone)
    open_ticket(ada, roof, "In none")
    suggested = ada.get(f"/projects/{roof}/query/suggest?q=milestone:no").items
    assert [each["text"] for each in suggested] == ["none", '"None"']
    titles = [found(ada, roof, quote(f"milestone:{each['text']}")) for each in suggested]
    assert titles == [["In none"], ["In it"]]


@pytest.mark.parametrize("title", [" 1.0 ", "1.0\t"])
def test_a_milestone_with_blanks_around_its_title_is_found_by_what_is_suggested(ada, roof, title):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": title}}).item["id"]
    open_ticket(ada, roof, "Leak", milestone_id=milestone)
    suggested = ada.get(f"/projects/{roof}/query/suggest?q=milestone:").items[-1]["text"]
    for name in (suggested, "1.0", "1*", "*0"):
        assert found(ada, roof, quote(f"milestone:{name}")) == ["Leak"], name


@pytest.mark.matrix("databases")
def test_a_milestone_is_found_by_each_pattern_that_its_title_fits(ada, roof):
    milestone = {"milestone": {"title": "Release  2.0 beta"}}
    milestone_id = ada.post(f"/projects/{roof}/milestones", milestone).item["id"]
    open_ticket(ada, roof, "Leak", milestone_id=milestone_id)
    for pattern in ("rel*", "*beta", "*2*", "r*2*a", "'*se 2.0*'", "'RELEASE 2.0  BETA'", "**", "(x*, *eta)"):
        assert found(ada, roof, quote(f"milestone:{pattern}")) == ["Leak"], pattern
    for pattern in ("elease*", "*bet", "*3*", "r*3*a", "*beta*2*", "release", "release*release*"):
        assert found(ada, roof, quote(f"milestone:{pattern}")) == [], pattern


def test_people_are_found_by_name_whatever_blanks_it_has(ada, ben, roof):
    assert ben.put(f"/users/{ben.user_id}", {"user": {"name": " Ben  Bolt "}}).status == 200
    open_ticket(ada, roof, "Leak", assigned_user_id=ben.user_id)
    for name in ("ben", "'Ben Bolt'", "' ben  bolt'"):
        assert found(ada, roof, quote(f"responsible:{name}")) == ["Leak"], name


BETA = {"title": "Beta", "due_on": "2040-01-01"}


@pytest.mark.matrix("databases")
def test_a_name_in_a_query_means_whoever_has_it_now(ada, ben, roof):
    milestone = ada.post(f"/projects/{roof}/milestones", {"milestone": BETA}).item["id"]
    open_ticket(ada, roof, "Leak", assigned_user_id=ben.user_id, milestone_id=milestone)
    queries = ("responsible:ben", "responsible:bo", "milestone:beta", "milestone:gamma", "milestone:next")
    assert [len(found(ada, roof, query)) for query in queries] == [1, 0, 1, 0, 1]
    assert ben.put(f"/users/{ben.user_id}", {"user": {"name": "Bo"}}).status == 200
    assert [len(found(ada, roof, query)) for query in queries] == [0, 1, 1, 0, 1]
    path = f"/projects/{roof}/milestones/{milestone}"
    assert ada.put(path, {"milestone": {"title": "Gamma"}}).status == 200
    assert [len(found(ada, roof, query)) for query in queries] == [0, 1, 0, 1, 1]
    assert ada.put(f"{path}/close").status == 200
    assert [len(found(ada, roof, query)) for query in queries[:-1]] == [0, 1, 0, 1]
    assert ada.get(f"/projects/{roof}/tickets?q=milestone:next").status == 422


@pytest.mark.matrix("databases")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_means_the_same_whether_its_accents_are_characters_of_their_own_or_not(ada, roof, form):
    def typed(text):
        return unicodedata.normalize("NFC" if form == "NFD" else "NFD", text)

    def named(text):
        return unicodedata.normalize(form, text)

    ada.put("/profile", {"user": {"name": named("José")}})
    ada.put(f"/projects/{roof}", {"project": {"name": named("Küche")}})
    states = {"open_states": named("geöffnet/fff"), "closed_states": named("gelöst/000")}
    assert ada.put(f"/projects/{roof}/settings", {"settings": states}).status == 200
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": named("Größe")}})
    ticket = open_ticket(ada, roof, "Leak")
    for command in ("state:gelöst", "milestone:Größe", "responsible:José"):
        edit = {"bulk_edit": {"query": "all", "command": typed(command)}}
        assert ada.post(f"/projects/{roof}/bulk_edit", edit).status == 200
    for query in ("state:gelöst", "milestone:größe", "milestone:gr*ße", "responsible:josé", "project:küche"):
        assert found(ada, roof, quote(typed(query))) == ["Leak"], query
    bin_ = ada.post(f"/projects/{roof}/bins", {"bin": {"name": "Done", "query": typed("state:gelöst")}}).item
    assert bin_["tickets_count"] == 1
    changed = ada.put(f"/projects/{roof}/tickets/{ticket}", {"ticket": {"state": typed("Geöffnet")}})
    assert changed.item["state"] == "geöffnet"


@pytest.mark.matrix("databases")
def test_a_state_in_a_script_whose_vowels_are_marks_is_used_as_any_other(ada, roof):
    states = {"open_states": "नया/fff\nเปิดใหม่/aaa", "closed_states": "பூர்த்தி/000"}
    assert ada.put(f"/projects/{roof}/settings", {"settings": states}).status == 200
    ticket = open_ticket(ada, roof, "Leak")
    address = f"/projects/{roof}/tickets/{ticket}"
    assert ada.get(address).item["state"] == "नया"
    assert ada.put(address, {"ticket": {"body": "Dry. [state:เปิดใหม่]"}}).item["state"] == "เปิดใหม่"
    assert found(ada, roof, quote("state:เปิดใหม่")) == ["Leak"]
    edit = {"bulk_edit": {"query": "state:เปิดใหม่", "command": "state:பூர்த்தி"}}
    assert ada.post(f"/projects/{roof}/bulk_edit", edit).status == 200
    assert found(ada, roof, quote("state:closed state:பூர்த்தி")) == ["Leak"]
