"""Commands in square brackets: in a ticket's opening text and in comments."""

import pytest

from tests.web.test_bulk_edit import open_count
from tests.web.test_milestones import add, at, counts


def opened(client, project, body, **fields):
    """Open a ticket with a text and return it."""
    answer = client.post(
        f"/projects/{project}/tickets", {"ticket": {"title": "Leak", "body": body, **fields}}
    )
    assert answer.status == 201, answer.body
    return answer.item


def comment(client, project, body, **fields):
    """Comment on ticket 1 in an update and return the ticket with its versions."""
    answer = client.put(f"/projects/{project}/tickets/1", {"ticket": {"body": body, **fields}})
    assert answer.status == 200, answer.body
    return client.get(f"/projects/{project}/tickets/1").item


def test_a_command_in_a_comment_acts_on_its_ticket_in_the_same_version(ada, roof):
    opened(ada, roof, "Water")
    ticket = comment(ada, roof, "Sealed. [state:resolved tagged:done]")
    assert (ticket["version"], ticket["state"], ticket["closed"], ticket["tag"]) == (
        2,
        "resolved",
        True,
        "done",
    )
    version = ticket["versions"][-1]
    assert version["body"] == "Sealed. [state:resolved tagged:done]"
    assert version["diffable_attributes"] == {"state": "new", "tag": None}
    assert open_count(ada, roof) == 0


def test_a_command_in_a_posted_version_acts_too(ada, roof):
    opened(ada, roof, "Water")
    answer = ada.post(f"/projects/{roof}/tickets/1/versions", {"version": {"body": "[state:hold]"}})
    assert (answer.status, answer.item["state"], answer.item["version"]) == (201, "hold", 2)


def test_a_ticket_may_be_opened_resolved_by_its_text(ada, roof):
    ticket = opened(ada, roof, "Already done. [state:resolved]")
    assert (ticket["state"], ticket["closed"], ticket["version"]) == ("resolved", True, 1)
    assert open_count(ada, roof) == 0


def test_every_command_sets_its_value(ada, ben, roof):
    milestone = add(ada, roof, "Keel 2.0", due_on="2030-01-01")
    opened(ada, roof, "Water", tag="wet old")
    command = "[state:OPEN responsible:ben milestone:'keel 2.0' tagged:dry not-tagged:wet importance:3]"
    ticket = comment(ada, roof, command)
    assert (ticket["state"], ticket["assigned_user_id"], ticket["milestone_id"]) == (
        "open",
        ben.user_id,
        milestone["id"],
    )
    assert (ticket["tag"], ticket["importance"], ticket["versions"][-1]["body"]) == ("dry old", 3, command)
    assert ticket["watchers_ids"] == [ada.user_id, ben.user_id]
    assert counts(ada, milestone) == (1, 1)


@pytest.mark.parametrize("command", ["responsible:none", "assigned:none"])
def test_none_takes_the_responsible_person_away(ada, roof, command):
    opened(ada, roof, "Water", assigned_user_id=ada.user_id)
    assert comment(ada, roof, f"[{command}]")["assigned_user_id"] is None


def test_between_quotes_none_is_the_name_of_somebody_or_something(ada, ben, roof):
    ben.post("/profile", {"user": {"name": "None"}})
    milestone = add(ada, roof, "None")
    opened(ada, roof, "Water")
    ticket = comment(ada, roof, "[responsible:'None' milestone:\"none\"]")
    assert (ticket["assigned_user_id"], ticket["milestone_id"]) == (ben.user_id, milestone["id"])
    ticket = comment(ada, roof, "[responsible:None milestone:NONE]")
    assert (ticket["assigned_user_id"], ticket["milestone_id"]) == (None, None)


def test_the_responsible_person_is_named_in_many_ways(ada, ben, roof):
    opened(ada, roof, "Water")
    for name in ("me", str(ben.user_id), ben.email.upper(), "Ben", "none", "BEN", "'Ben'"):
        expected = {"me": ada.user_id, "none": None}.get(name, ben.user_id)
        ticket = comment(ada, roof, f"[responsible:{name}]")
        assert (ticket["assigned_user_id"], ticket["versions"][-1]["body"]) == (
            expected,
            f"[responsible:{name}]",
        )


def test_next_is_the_open_milestone_that_is_due_first_from_today_on(ada, roof):
    add(ada, roof, "Late", due_on="2020-01-01")
    add(ada, roof, "Some day")
    first, second = (
        add(ada, roof, "First", due_on="2030-01-01"),
        add(ada, roof, "Second", due_on="2031-01-01"),
    )
    opened(ada, roof, "Water")
    assert comment(ada, roof, "[milestone:next]")["milestone_id"] == first["id"]
    ada.put(f"{at(first)}/close")
    assert comment(ada, roof, "[milestone:next]")["milestone_id"] == second["id"]
    assert comment(ada, roof, f"[milestone:id#{first['id']}]")["milestone_id"] == first["id"]
    assert comment(ada, roof, "[milestone:none]")["milestone_id"] is None
    assert counts(ada, first) == counts(ada, second) == (0, 0)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("state:commited", "there is no state 'commited'"),
        ("responsible:zoe", "nobody here is called 'zoe'"),
        ("responsible:cy", "nobody here is called 'cy'"),
        ("milestone:keel", "there is no milestone 'keel'"),
        ("milestone:id#99", "there is no milestone 'id#99'"),
        ("milestone:next", "no open milestone is due today or later"),
        ("importance:2147483648", "the importance goes up to 2147483647"),
        ("tagged:***", "'***' is not a possible tag"),
        ("importance:-1", "there is no importance '-1'"),
        ("importance:99999999999", "there is no importance '99999999999'"),
        ("due:tomorow", "'tomorow' is not a day"),
        ("due:2027-02-30", "'2027-02-30' is not a day"),
        ("private:maybe", "private is true or false, not 'maybe'"),
    ],
)
def test_a_command_that_cannot_be_applied_is_skipped_and_the_comment_says_so(ada, cy, roof, command, reason):
    before = opened(ada, roof, "Water")
    ticket = comment(ada, roof, f"Hm. [{command}]")
    assert ticket["versions"][-1]["body"] == f"Hm. [{command}]\n\n(skipped: {reason})"
    assert reason.split("'")[0] in ticket["versions"][-1]["body_html"]
    assert ticket["versions"][-1]["diffable_attributes"] == {}
    assert ticket["state"] == before["state"]


def test_a_name_that_fits_several_people_is_skipped(world, ada, roof):
    for login in ("dan", "eve"):
        client = world.person(login)
        client.post("/profile", {"user": {"name": f"Kim {login}"}})
        world.join(roof, client)
    opened(ada, roof, "Water")
    ticket = comment(ada, roof, "[responsible:kim]")
    assert ticket["assigned_user_id"] is None
    assert ticket["versions"][-1]["body"].endswith("(skipped: several people here are called 'kim')")
    assert comment(ada, roof, "[responsible:'kim eve']")["assigned_user_id"] == client.user_id


def test_valid_commands_are_applied_even_if_others_are_skipped(ada, roof):
    opened(ada, roof, "Water")
    ticket = comment(ada, roof, "[state:nope tagged:done responsible:zoe]")
    assert ticket["tag"] == "done"
    assert ticket["versions"][-1]["body"].endswith(
        "(skipped: there is no state 'nope'; nobody here is called 'zoe')"
    )


def test_the_last_of_a_repeated_command_counts(ada, roof):
    opened(ada, roof, "Water")
    assert comment(ada, roof, "[state:hold state:open]")["state"] == "open"


def test_fields_of_the_request_take_precedence_over_commands(ada, roof):
    opened(ada, roof, "Water")
    ticket = comment(ada, roof, "[state:resolved tagged:done]", state="hold")
    assert (ticket["state"], ticket["tag"]) == ("hold", "done")
    assert opened(ada, roof, "[state:resolved]", state="open")["state"] == "open"


def test_a_field_sent_back_unchanged_does_not_override_a_command(ada, roof):
    ticket = opened(ada, roof, "Water", tag="wet")
    ticket = comment(ada, roof, "[state:resolved]", state=ticket["state"], tag=ticket["tag"], importance=0)
    assert (ticket["state"], ticket["tag"]) == ("resolved", "wet")


@pytest.mark.parametrize(
    "body", ["state:resolved", "[state: resolved]", "[status:resolved]", "[state:open] [tagged:a]"]
)
def test_other_texts_do_nothing(ada, roof, body):
    opened(ada, roof, "Water")
    ticket = comment(ada, roof, body)
    assert (ticket["state"], ticket["tag"], ticket["versions"][-1]["body"]) == ("new", None, body)


def test_editing_an_old_comment_does_not_act_again(ada, roof):
    opened(ada, roof, "Water")
    comment(ada, roof, "Hello")
    edited = ada.put(f"/projects/{roof}/tickets/1/versions/2", {"version": {"body": "[state:resolved]"}})
    assert (edited.status, edited.item["body"]) == (200, "[state:resolved]")
    assert ada.get(f"/projects/{roof}/tickets/1").item["state"] == "new"


def test_commands_of_strangers_are_skipped_and_the_text_says_so(ada, cy, harbour):
    opened(ada, harbour, "Water")
    ticket = comment(cy, harbour, "Fixed for me. [state:resolved importance:1]")
    assert (ticket["state"], ticket["importance"], ticket["version"]) == ("new", 0, 2)
    assert ticket["versions"][-1]["body"].endswith(
        "(skipped: only members of the project may set the state; "
        "only members of the project may set the importance)"
    )


def test_a_stranger_may_tag_the_ticket_that_he_opens(cy, harbour):
    ticket = opened(cy, harbour, "Water [tagged:wet state:hold]")
    assert (ticket["tag"], ticket["state"]) == ("wet", "new")
    assert ticket["body"].endswith("(skipped: only members of the project may set the state)")
    assert comment(cy, harbour, "[tagged:dry]")["tag"] == "wet"
