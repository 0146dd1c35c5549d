"""Commands in the messages of changesets."""

import pytest

from skerry.text import markdown
from tests.web.test_milestones import add, counts
from tests.web.test_tags_and_states import set_states


def push(client, project, message, revision="f00d1"):
    """Report a commit."""
    answer = client.post(
        f"/projects/{project}/changesets", {"changeset": {"revision": revision, "body": message}}
    )
    assert answer.status == 201, answer.body
    return answer.item


def ticket(client, project, number=1):
    return client.get(f"/projects/{project}/tickets/{number}").item


@pytest.fixture
def tickets(ada, roof):
    """Three tickets, 1 to 3; gives their project."""
    for title in ("Leak", "Draught", "Damp"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    return roof


@pytest.mark.matrix("databases")
def test_a_bracket_comments_and_carries_out_its_commands(ada, ben, tickets):
    message = "Close the valve [#2 state:resolved tagged:done]"
    push(ben, tickets, message)
    found = ticket(ada, tickets, 2)
    assert (found["state"], found["tag"], found["version"], found["user_id"]) == (
        "resolved",
        "done",
        2,
        ben.user_id,
    )
    version = found["versions"][-1]
    assert version["body"] == f"(from [f00d1]) {message}"
    assert f'<a href="/projects/{tickets}/changesets/f00d1"' in version["body_html"]
    assert version["diffable_attributes"] == {"state": "new", "tag": None}
    assert ben.user_id in found["watchers_ids"]
    assert ticket(ada, tickets, 1)["version"] == ticket(ada, tickets, 3)["version"] == 1
    assert ada.get(f"/projects/{tickets}").item["open_tickets_count"] == 2


def test_a_message_is_rendered_once_however_many_commands_are_skipped(ada, tickets, monkeypatch):
    rendered, render = [], markdown.render

    def render_counted(text, *rest):
        rendered.append(text)
        return render(text, *rest)

    monkeypatch.setattr(markdown, "render", render_counted)
    message = " ".join(f"[#1 state:*nope{number}*]" for number in range(30))
    push(ada, tickets, message)
    found = ticket(ada, tickets)["versions"]
    assert rendered == [message, f"(from [f00d1]) {message}"]
    assert found[-1]["body"].endswith("\n\n(skipped: there is no state '*nope29*')")
    assert found[-1]["body_html"].endswith("</p>\n<p>(skipped: there is no state '*nope29*')</p></div>")


def test_a_number_alone_in_a_bracket_only_comments(ada, tickets):
    push(ada, tickets, "Prepare [#1]")
    found = ticket(ada, tickets)
    assert (found["version"], found["state"], found["versions"][-1]["diffable_attributes"]) == (2, "new", {})


@pytest.mark.matrix("databases")
def test_the_commands_in_a_bracket_apply_to_every_number_in_it(ada, tickets):
    push(ada, tickets, "Both [#1 #3\nstate:hold] and [#2, #3]")
    assert [ticket(ada, tickets, number)["version"] for number in (1, 2, 3)] == [2, 2, 3]
    assert [ticket(ada, tickets, number)["state"] for number in (1, 2, 3)] == ["hold", "new", "hold"]


@pytest.mark.parametrize("verb", ["fixes", "Closes", "RESOLVES"])
def test_closing_verbs_set_the_first_closed_state(world, ada, tickets, verb):
    set_states(world, tickets, "new/f17", "committed/0a0\nresolved/6a0")
    push(ada, tickets, f"This {verb} #1 at last")
    found = ticket(ada, tickets)
    assert (found["state"], found["closed"], found["version"]) == ("committed", True, 2)
    assert found["versions"][-1]["body"] == f"(from [f00d1]) This {verb} #1 at last"


def test_verbs_follow_the_brackets_as_a_version_of_their_own(ada, tickets):
    push(ada, tickets, "Fixes #1 [#1 state:hold tagged:done]")
    versions = ticket(ada, tickets)["versions"]
    assert [version["state"] for version in versions] == ["new", "hold", "resolved"]
    assert versions[1]["body"] == versions[2]["body"]
    assert versions[2]["diffable_attributes"] == {"state": "hold"}


@pytest.mark.parametrize(
    "message", ["See #1", "references #1", "closing #1", "fix #1", "[1]", "[state:resolved]"]
)
def test_other_mentions_do_nothing(ada, tickets, message):
    push(ada, tickets, message)
    assert ticket(ada, tickets)["version"] == 1


def test_a_ticket_that_is_in_the_state_already_gets_its_version_all_the_same(ada, tickets):
    push(ada, tickets, "[#1 state:resolved]")
    push(ada, tickets, "[#1 state:resolved]", "f00d2")
    found = ticket(ada, tickets)
    assert (found["version"], found["versions"][-1]["diffable_attributes"]) == (3, {})


def test_unknown_commands_are_skipped_and_the_comment_says_so(ada, tickets):
    push(ada, tickets, "Done [#1 state:commited milestone:keel due:soon tagged:done]")
    found = ticket(ada, tickets)
    assert (found["state"], found["tag"]) == ("new", "done")
    assert found["versions"][-1]["body"].endswith(
        "\n\n(skipped: there is no state 'commited'; there is no milestone 'keel'; 'soon' is not a day)"
    )


def test_numbers_that_no_ticket_has_are_ignored(ada, tickets):
    push(ada, tickets, "[#99 #2 state:resolved] fixes #100")
    assert ticket(ada, tickets, 2)["state"] == "resolved"
    assert ada.get(f"/projects/{tickets}/tickets/99").status == 404


@pytest.mark.matrix("databases")
def test_a_revision_that_is_known_does_nothing_again(ada, tickets):
    push(ada, tickets, "[#1 state:resolved]")
    again = {"changeset": {"revision": "f00d1", "body": "[#1 state:open]"}}
    assert ada.post(f"/projects/{tickets}/changesets", again).status == 422
    assert (ticket(ada, tickets)["state"], ticket(ada, tickets)["version"]) == ("resolved", 2)


@pytest.mark.matrix("databases")
def test_the_counts_of_milestones_follow(ada, tickets):
    keel = add(ada, tickets, "Keel")
    push(ada, tickets, "[#1 #2 milestone:keel] fixes #2")
    assert counts(ada, keel) == (2, 1)
    assert ada.get(f"/projects/{tickets}").item["open_tickets_count"] == 2
    push(ada, tickets, "[#2 milestone:none state:new]", "f00d2")
    assert counts(ada, keel) == (1, 1)
    assert ada.get(f"/projects/{tickets}").item["open_tickets_count"] == 3


def test_somebody_who_is_made_responsible_watches(ada, ben, tickets):
    push(ada, tickets, "[#1 responsible:ben]")
    found = ticket(ada, tickets)
    assert (found["assigned_user_id"], found["watchers_ids"]) == (ben.user_id, [ada.user_id, ben.user_id])


def test_deleting_a_changeset_keeps_its_effects(ada, tickets):
    push(ada, tickets, "[#1 state:hold]")
    ada.delete(f"/projects/{tickets}/changesets/f00d1")
    assert ticket(ada, tickets)["state"] == "hold"


@pytest.mark.matrix("both")
def test_a_revert_comments_and_closes_nothing(ada, tickets):
    push(ada, tickets, 'Revert "Fix the leak, fixes #1 [#2 state:hold]"')
    for number in (1, 2):
        found = ticket(ada, tickets, number)
        assert (found["state"], found["version"]) == ("new", 2)
    push(ada, tickets, 'Reapply "Fix the leak, fixes #1"\n\nThis reverts commit f00d1.', "f00d2")
    assert ticket(ada, tickets)["state"] == "resolved"


@pytest.mark.matrix("both")
def test_a_closing_verb_applies_to_every_number_in_its_list(ada, tickets):
    push(ada, tickets, "Mend all\n\nFixes: #1, #2 & #3")
    assert [ticket(ada, tickets, number)["state"] for number in (1, 2, 3)] == ["resolved"] * 3
