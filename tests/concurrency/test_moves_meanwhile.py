"""Concurrent moves of a ticket and changes at its old address."""

import pytest

from skerry.store.ticket_rows import moving_tickets


@pytest.fixture
def moving(pair):
    """Both, with a ticket that can move to another project."""
    ada, elsewhere = pair
    for name in ("Roof", "Hull"):
        ada.post("/projects", {"project": {"name": name}})
    ada.post("/projects/1/tickets", {"ticket": {"title": "Leak", "body": "Since May"}})
    return ada, elsewhere


WRITES = {
    "comment": ("put", "/projects/1/tickets/1", {"ticket": {"body": "Wet"}}),
    "version": ("post", "/projects/1/tickets/1/versions", {"version": {"body": "Wet"}}),
    "edit": ("put", "/projects/1/tickets/1/versions/1", {"version": {"body": "Wet"}}),
    "delete": ("delete", "/projects/1/tickets/1", None),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_to_the_old_address_of_a_ticket_that_moves_is_done_or_redirected(moving, meanwhile, write):
    ada, elsewhere = moving
    method, path, *body = WRITES[write]
    body = [each for each in body if each is not None]
    with meanwhile(moving_tickets, "move") as do:
        later = do(getattr(elsewhere, method), path, *body)
        moved = ada.post("/projects/1/bulk_edit", {"bulk_edit": {"query": "1", "command": "project:hull"}})
        answer = later.result()
    assert (moved.status, answer.status) == (200, 308), answer
    path = "/" + answer.headers["location"].partition("//")[2].partition("/")[2].removesuffix(".json")
    assert getattr(ada, method)(path, *body).status in (200, 201)
    assert ada.get("/projects/1/tickets").items == []
    found = ada.get("/projects/2/tickets/1")
    assert found.status == (404 if write == "delete" else 200)
    if found.status == 200:
        assert [each["body"] for each in found.item["versions"]].count("Wet") == 1
