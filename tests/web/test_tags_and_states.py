"""Tags and states of tickets over HTTP."""

import pytest

TICKET = {"ticket": {"title": "Leak"}}


def set_states(world, project_id, opened, closed):
    """Return a project other states, as its settings page does."""
    with world.database.engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE projects SET open_states = '{opened}', closed_states = '{closed}' "
            f"WHERE account_id = {world.account_id} AND id = {project_id}"
        )


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("wet roof", "roof wet"),
        ("wet, the roof", '"the roof" wet'),
        ('wet "the roof" old', 'old "the roof" wet'),
        ("wet,roof,", "roof wet"),
        ("Wet WET wet", "wet"),
        ("b a_c a-d @e !f g' h. i: #j k+l m/n", "!f #j @e a-d a_c b g h. i: k+l m/n"),
        ("Ärger 日本", "ärger 日本"),
        ("a*b<c>$%&", "abc"),
        ("", None),
        ("   ", None),
        (", ,", None),
        ("***", None),
        (None, None),
    ],
)
def test_tags_are_read_generously_and_shown_in_one_form(ada, leak, sent, shown):
    ada.put(leak, {"ticket": {"tag": "before"}})
    assert ada.put(leak, {"ticket": {"tag": sent}}).item["tag"] == shown
    assert ada.get(leak).item["tag"] == shown


def test_tags_are_sorted_as_if_in_capitals(ada, leak):
    assert ada.put(leak, {"ticket": {"tag": "b _x a B2 #1"}}).item["tag"] == "#1 a b b2 _x"


@pytest.mark.matrix("both")
def test_tags_as_shown_can_be_sent_back(ada, leak):
    tag = ada.put(leak, {"ticket": {"tag": "the roof, wet, o'clock, c++"}}).item["tag"]
    assert ada.put(leak, {"ticket": {"tag": tag}}).item["tag"] == tag
    assert ada.get(leak).item["versions"][-1]["diffable_attributes"] == {}


def test_too_many_or_too_long_tags_are_refused(ada, leak):
    for tag in ("x" * 101, " ".join(f"t{number}" for number in range(101))):
        answer = ada.put(leak, {"ticket": {"tag": tag}})
        assert (answer.status, answer.errors[0][:3]) in ((422, "Tag"), (422, "Too"))
    assert ada.get(leak).item["version"] == 1


@pytest.mark.parametrize("state", ["new", "open", "resolved", "hold", "invalid"])
def test_a_ticket_may_be_made_in_any_state(ada, tickets, state):
    ticket = ada.post(tickets, {"ticket": {"title": "T", "state": state}}).item
    assert (ticket["state"], ticket["closed"]) == (state, state in ("resolved", "hold", "invalid"))


def test_any_state_may_follow_any_other(ada, leak):
    states = ["new", "open", "resolved", "hold", "invalid"]
    for state in [*states, *reversed(states), "new", "hold", "open", "invalid", "new"]:
        answer = ada.put(leak, {"ticket": {"state": state}})
        assert (answer.status, answer.item["state"]) == (200, state)


@pytest.mark.matrix("both")
def test_states_are_compared_without_regard_to_case_and_stored_as_the_project_spells_them(ada, leak):
    assert ada.put(leak, {"ticket": {"state": " ResOLVED "}}).item["state"] == "resolved"


@pytest.mark.parametrize("state", ["gone", "new open", "new/f17", "0", "  ", "nеw"])
def test_a_state_that_the_project_does_not_have_is_refused(ada, tickets, leak, state):
    for answer in (
        ada.put(leak, {"ticket": {"state": state}}),
        ada.post(tickets, {"ticket": {"title": "T", "state": state}}),
    ):
        assert (answer.status, answer.errors) == (
            422,
            ["State is not one of new, open, resolved, hold, invalid"],
        )
    assert ada.get(leak).item["state"] == "new"


@pytest.mark.matrix("both")
def test_an_empty_state_leaves_it_as_it_is(ada, leak):
    ada.put(leak, {"ticket": {"state": "hold"}})
    for empty in ("", None):
        assert ada.put(leak, {"ticket": {"state": empty}}).item["state"] == "hold"


def test_the_default_state_is_new_if_that_is_an_open_state_of_the_project(world, ada, roof, tickets):
    set_states(world, roof, "ready/fff\nNew/aaa", "done/000")
    assert ada.post(tickets, TICKET).item["state"] == "New"
    assert ada.get(f"{tickets}/new").item["state"] == "New"


def test_otherwise_the_default_state_is_the_first_open_one(world, ada, roof, tickets):
    set_states(world, roof, "ready/fff # go\ndoing/aaa", "new/000\ndone/00ff00")
    assert ada.post(tickets, TICKET).item["state"] == "ready"
    ticket = ada.put(f"{tickets}/1", {"ticket": {"state": "DONE"}}).item
    assert (ticket["state"], ticket["closed"]) == ("done", True)
    answer = ada.put(f"{tickets}/1", {"ticket": {"state": "open"}})
    assert answer.errors == ["State is not one of ready, doing, new, done"]


@pytest.mark.matrix("both")
def test_a_ticket_keeps_a_state_that_its_project_no_longer_has(world, ada, roof, leak):
    set_states(world, roof, "ready/fff", "done/000")
    answer = ada.put(leak, {"ticket": {"title": "Other"}})
    assert (answer.status, answer.item["state"]) == (200, "new")
