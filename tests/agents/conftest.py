"""An instance that serves agents, and the protocol's own client."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.conftest import make_instance
from tests.support import migrated_databases


@pytest.fixture
def instance_and_log(tmp_path, database_and_format):
    with migrated_databases.lent(database_and_format[0], tmp_path) as url:
        instance, log = make_instance(url, tmp_path, mcp=True)
        with instance:
            yield instance, log


class Agent:
    """A model's client: it lists the tools and calls them, each time in a connection of its own."""

    def __init__(self, world, **headers):
        self._world, self._headers = world, headers
        self._application = world.instance.application

    def at(self, instance):
        """Let the client come to another instance from now on."""
        self._application = instance.application
        return self

    def do(self, work):
        """Return what an asynchronous function returns for a connected client."""

        async def connected():
            transport = httpx2.ASGITransport(self._application, client=("127.0.0.1", 1))
            base, headers = f"http://{self._world.host}", self._headers
            async with (
                httpx2.AsyncClient(transport=transport, base_url=base, headers=headers) as http,
                Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
            ):
                return await work(client)

        # A browser's tests may have left a loop on this thread.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, connected()).result()

    def tools(self):
        return {tool.name: tool for tool in self.do(lambda client: client.list_tools()).tools}

    def call(self, name, **arguments):
        """Return whether a tool was refused, and what it says."""
        result = self.do(lambda client: client.call_tool(name, arguments))
        return result.is_error, result.content[0].text

    def data(self, name, **arguments):
        """Return the data of an answer."""
        is_error, text = self.call(name, **arguments)
        assert not is_error, text
        return json.loads(text)["data"]

    def refusal(self, name, **arguments):
        """Return the sentences of a refusal."""
        is_error, text = self.call(name, **arguments)
        assert is_error, text
        return text


@pytest.fixture
def agent_of(world):
    """Return a function that gives the agent of a person, with a token of these limits."""

    def of(person, **limits):
        return Agent(world, **{"X-ServiceToken": world.token(person.user_id, **limits)})

    return of


@pytest.fixture
def agent(agent_of, ben, roof):
    """The agent of a member."""
    return agent_of(ben)
