"""Commands that make tickets private or public: in bulk edits, texts and commit messages."""

import pytest

pytestmark = pytest.mark.matrix("both")


def opened(client, leaks, **fields):
    made = client.post(leaks, {"ticket": {"title": "Leak", **fields}})
    assert made.status == 201, made.body
    return f"{leaks}/{made.item['number']}"


def edited(client, leaks, query, command, **more):
    """Make a bulk edit and return the answer."""
    address = leaks.replace("tickets", "bulk_edit")
    return client.post(address, {"bulk_edit": {"query": query, "command": command, **more}})


def test_a_bulk_edit_hides_tickets_and_its_undo_shows_them_again(ada, ben, cy, leaks):
    wet, dry = opened(ada, leaks, tag="wet"), opened(ada, leaks, tag="dry", private=True)
    seen = edited(ben, leaks, "tagged:(wet,dry)", "private:true", dry_run=True).item
    assert (seen["count"], cy.get(wet).status) == (2, 200)
    made = edited(ben, leaks, "tagged:(wet,dry)", "private:true tagged:hidden").item
    assert [cy.get(each).status for each in (wet, dry)] == [404, 404]
    assert ada.get(wet).item["versions"][-1]["diffable_attributes"]["private"] is False
    undone = ben.post(f"{leaks.replace('tickets', 'bulk_edits')}/{made['id']}/undo")
    assert undone.status < 300, undone.body
    assert [cy.get(each).status for each in (wet, dry)] == [200, 404]
    assert edited(ada, leaks, "all", "private:FALSE").item["count"] == 2
    assert [cy.get(each).status for each in (wet, dry)] == [200, 200]


def test_a_ticket_that_is_private_again_stays_so_when_an_edit_is_undone(ada, cy, leaks):
    ticket = opened(ada, leaks, private=True)
    made = edited(ada, leaks, "all", "private:false").item
    ada.put(ticket, {"ticket": {"private": True}})
    undone = ada.post(f"{leaks.replace('tickets', 'bulk_edits')}/{made['id']}/undo")
    assert (undone.status < 300, ada.get(ticket).item["private"], cy.get(ticket).status) == (True, True, 404)


@pytest.mark.parametrize(
    "command", ["private:yes", "private:none", "private:(true,false)", "not-private:true"]
)
def test_other_values_are_refused(ada, leaks, command):
    ticket = opened(ada, leaks)
    assert edited(ada, leaks, "all", command).status == 422
    assert ada.get(ticket).item["version"] == 1


def test_members_hide_a_ticket_in_a_comment_and_others_do_not(ada, cy, nobody, leaks):
    ticket = opened(cy, leaks)
    refused = cy.put(ticket, {"ticket": {"body": "Hush [private:true]"}}).item
    assert refused["private"] is False
    note = "(skipped: only members of the project may set who sees it)"
    assert cy.get(ticket).item["versions"][-1]["body"].endswith(note)
    assert ada.put(ticket, {"ticket": {"body": "Hush [private:true]"}}).item["private"] is True
    assert (cy.get(ticket).status, nobody.get(ticket).status) == (200, 404)
    assert cy.put(ticket, {"ticket": {"body": "[private:false]"}}).item["private"] is True
    assert edited(cy, leaks, "all", "private:false").status == 403


def test_its_author_hides_a_ticket_as_he_opens_it(ada, cy, nobody, leaks):
    ticket = opened(cy, leaks, body="The lock can be picked [private:true tagged:lock]")
    shown = cy.get(ticket).item
    assert (shown["private"], shown["tag"], nobody.get(ticket).status) == (True, "lock", 404)
    assert ada.get(ticket).item["versions"][0]["private"] is True
    # What a field says comes first.
    assert cy.get(opened(cy, leaks, body="[private:false]", private=True)).item["private"] is True


def test_a_commit_hides_a_ticket(ada, ben, cy, harbour, leaks):
    ticket = opened(ada, leaks)
    changeset = {"revision": "4f1c2d9", "title": "Close", "body": "[#1 private:true]", "changes": "[]"}
    answer = ben.post(f"/projects/{harbour}/changesets", {"changeset": changeset})
    assert answer.status == 201, answer.body
    assert (ada.get(ticket).item["private"], cy.get(ticket).status) == (True, 404)


def test_a_move_hides_a_ticket_at_once(ada, cy, leaks):
    ticket = opened(ada, leaks)
    there = ada.post("/projects", {"project": {"name": "Hull", "public": True}}).item["id"]
    assert edited(ada, leaks, "all", "project:hull private:true").item["count"] == 1
    assert ada.get(f"/projects/{there}/tickets/1").item["private"] is True
    assert (cy.get(f"/projects/{there}/tickets/1").status, cy.get(ticket).status) == (404, 404)
