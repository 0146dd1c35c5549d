"""The command that serves the tools of agents over standard input and output."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

import click

from skerry.agents.tracker import Answer, Data, Refused
from skerry.client import AsyncClient, ClientError, Record
from skerry.client.records import decoded
from skerry.sk import servers
from skerry.sk.failures import NOT_SIGNED_IN, USAGE, Failure
from skerry.sk.options import chosen, client_of, common_options
from skerry.sk.servers import Server

_WRITING = "tickets:write"


class _Token(Record):
    """What a token may do."""

    kind, path = "token", "/tokens"

    read_only: bool = False
    scopes: str = ""

    @property
    def only_reads(self) -> bool:
        """Return whether tools that write are of no use."""
        return self.read_only or bool(self.scopes and _WRITING not in self.scopes.split())


@dataclass(frozen=True)
class _Remote:
    """The tracker, reached over the network with a token."""

    client: AsyncClient
    project: str
    is_read_only: bool

    async def call(
        self,
        method: str,
        path: str,
        ids: Mapping[str, int] | None = None,
        query: Mapping[str, str] | None = None,
        values: Data | None = None,
    ) -> Answer:
        """Call a route of the interface; raises Refused."""
        parts = {"params": query, **({"json": values} if values is not None else {})}
        try:
            answer = await self.client.request(method, path.format_map(ids or {}), **parts)
            total = answer.headers.get("X-Total-Count", "")
            cursor = answer.headers.get("X-Last-Event-Id")
            return Answer(decoded(answer.content), int(total) if total.isdecimal() else None, cursor)
        except ClientError as error:
            raise Refused(error.sentences) from error


@click.command()
@common_options
def mcp() -> None:
    """Serve tools for agents (MCP), over standard input and output, until the input ends.

    With a token that may only read, there are only tools that read.
    """
    if find_spec("mcp") is None:
        raise Failure("Install what agents need: pip install 'skerry[client,mcp]'", USAGE)
    server = servers.load().server(chosen("server"))
    if not server.url:
        raise Failure("Sign in first: sk login https://tracker.example", NOT_SIGNED_IN)
    with client_of(server) as client:
        only_reads = client.get(_Token, server.token).only_reads
        project = str(client.project or "")
    asyncio.run(_serve(server, project, is_read_only=only_reads))


async def _serve(server: Server, project: str, *, is_read_only: bool) -> None:
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - may be missing, and slow to load

    from skerry.agents import server as tools  # noqa: PLC0415 - the same

    async with AsyncClient(server.url, server.token) as client, stdio_server() as (received, sent):
        # Events say what an agent did.
        client.options["headers"]["X-Via"] = "mcp"
        agents = tools.server(_Remote(client, project, is_read_only), _report)
        await agents.run(received, sent, agents.create_initialization_options())


def _report(name: str, error: Exception) -> None:
    click.echo(f"sk: {name} failed: {error!r}", err=True)
