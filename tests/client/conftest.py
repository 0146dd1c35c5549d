"""Clients of a server that answers at an address."""

import pytest

from skerry.client import Client
from tests.support.small_world import reachable


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with reachable(tmp_path_factory.mktemp("client")) as world:
        yield world


@pytest.fixture
def world(server):
    return server


@pytest.fixture
def client(server, roof):
    """Ada's client, in a project of its own."""
    with Client(server.address, server.people["ada"].headers["X-ServiceToken"], roof) as opened:
        yield opened
