"""What follows from the declaration of a ticket's fields."""

import pytest

from skerry.resources.tickets import CALLED, OLD_VALUES, RECORDED, VALUES, Ticket, Version
from skerry.store.engine import tables
from skerry.wire.record import fields_of


@pytest.mark.parametrize("name", VALUES)
def test_a_version_has_what_it_records_in_the_same_form(name):
    ticket, version = ({each.name: each for each in fields_of(kind)}[name] for kind in (Ticket, Version))
    assert (version.kind, version.optional, version.default) == (ticket.kind, ticket.optional, ticket.default)


@pytest.mark.parametrize("name", VALUES)
def test_what_is_recorded_is_kept_with_the_ticket_and_with_its_versions(name):
    assert name in tables.tickets.c
    assert name in tables.versions.c


def test_clients_know_what_is_recorded_by_its_name_and_in_its_order():
    assert list(RECORDED) == ["state", "title", "tag", "assigned_user", "milestone", "importance"]
    assert RECORDED.keys() == OLD_VALUES.keys() == CALLED.keys()
