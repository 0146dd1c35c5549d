"""Signed addresses: for one person and one ticket, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.store import accounts
from skerry.tracker.mail.reply_addresses import (
    AddressTarget,
    is_genuine,
    project_address,
    reply_address,
    targets,
)

HOST = "tracker.example"


@pytest.fixture
def address(world):
    with world.database.read(world.account_id) as transaction:
        return reply_address(transaction, 3, 9, 7, HOST)


def genuine(world, address, account_id=None):
    """Return what an address is for, if an account has signed it."""
    found = targets([address])
    with world.database.read(account_id or world.account_id) as transaction:
        return [target[:4] for target in found if is_genuine(transaction, target)]


def test_an_address_is_for_one_person_and_one_ticket(world, address):
    assert genuine(world, address) == [(world.account_id, 3, 9, 7)]
    assert address == address.lower()
    assert len(address.partition("@")[0]) <= 64


def test_an_address_means_the_same_in_capitals(world, address):
    assert genuine(world, address.upper()) == genuine(world, address)


def test_an_address_is_not_for_another_ticket_person_project_or_account(world, address):
    code = address.partition("+")[2].partition("@")[0]
    with world.database.read(world.account_id) as transaction:
        others = [
            reply_address(transaction, *ids, HOST) for ids in ((3, 10, 7), (3, 9, 8), (4, 9, 7), (9, 3, 7))
        ]
        assert len({address, *others}) == 5
        for changed in range(len(code)):
            for letter in set("abcdefghijklmnopqrstuvwxyz234567") - {code[changed]}:
                forged = targets([f"reply+{code[:changed]}{letter}{code[changed + 1 :]}@{HOST}"])
                assert not any(is_genuine(transaction, each) for each in forged)
    assert genuine(world, f"project+{code}@{HOST}") == []


def test_an_address_of_one_account_is_unknown_in_another(world, address, instance_and_log):
    with world.database.write() as transaction:
        other = accounts.add(transaction, "Other", f"other.{world.host}").id
    assert genuine(world, address, other) == []


def test_a_project_has_an_address_of_its_own(world):
    with world.database.read(world.account_id) as transaction:
        address = project_address(transaction, 3, HOST)
    assert address.startswith("project+")
    assert genuine(world, address) == [(world.account_id, 3, 0, 0)]
    assert genuine(world, address.replace("project+", "reply+")) == []


def test_addresses_outlive_one_renewal_of_the_secret(world, address):
    for still_works in (True, False):
        with world.write() as transaction:
            accounts.renew_mail_secret(transaction)
        assert bool(genuine(world, address)) is still_works
    with world.database.read(world.account_id) as transaction:
        assert reply_address(transaction, 3, 9, 7, HOST) != address


def test_largest_ids_fit_into_an_address(world):
    with world.database.read(world.account_id) as transaction:
        address = reply_address(transaction, 1 << 34, 1 << 34, 1 << 34, HOST)
    assert len(address.partition("@")[0]) <= 64
    assert genuine(world, address)


@given(st.lists(st.text(alphabet="abcdefghij234567replyproject+@.", max_size=80), max_size=5))
@settings(deadline=None)
def test_an_invalid_address_has_no_target(texts):
    assert all(isinstance(target, AddressTarget) for target in targets(texts))
    assert targets(["reply+@a", "reply+aaaaaaaaaaaaaaaa@a", "ada@a", "", "reply+a" * 9 + "@a"]) == []
