"""Declarations of a ticket's fields, and what is derived from them."""

import pytest

from skerry.resources.tickets import CALLED, OLD_VALUES, RECORDED, VALUES, Ticket, Version
from skerry.store import tables
from skerry.wire.record import fields_of


@pytest.mark.parametrize("name", VALUES)
def test_a_version_has_what_it_records_in_the_same_form(name):
    ticket, version = ({each.name: each for each in fields_of(kind)}[name] for kind in (Ticket, Version))
    assert (version.kind, version.optional, version.default) == (ticket.kind, ticket.optional, ticket.default)


@pytest.mark.parametrize("name", VALUES)
def test_recorded_fields_are_columns_of_tickets_and_versions(name):
    assert name in tables.tickets.c
    assert name in tables.versions.c


def test_clients_know_what_is_recorded_by_its_name_and_in_its_order():
    assert list(RECORDED)[:5] == ["state", "title", "tag", "assigned_user", "milestone"]
    assert RECORDED.keys() == OLD_VALUES.keys() == CALLED.keys()
