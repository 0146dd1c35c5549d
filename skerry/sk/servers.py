"""The servers that somebody signed in to; tokens are in the keyring, or in a file that only they can read."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from skerry.sk.failures import USAGE, Failure

_SERVICE = "skerry"


@dataclass(frozen=True)
class Server:
    """A server, and who is signed in there; the token may be kept in the keyring."""

    url: str
    user: str = ""
    token: str = ""
    in_keyring: bool = False
    # A server of the original's interface knows no Idempotency-Key.
    knows_keys: bool = True


@dataclass
class Servers:
    """All servers by name, and the name of the one that is used."""

    default: str = ""
    servers: dict[str, Server] = field(default_factory=dict)

    def server(self, name: str | None) -> Server:
        """Return the server with a name or address, of the environment, or the default, with its token.

        Its address is empty if there is none. The token of the environment goes to no server that an option
        names.
        """
        url = os.environ.get("SKERRY_URL", "").rstrip("/")
        found = self.found(name or url or self.default)
        if found is None:
            if name and not name.startswith(("http://", "https://")):
                raise Failure(f"There is no server {name}; see: sk servers", USAGE)
            found = Server(name or url)
        token = "" if name else os.environ.get("SKERRY_TOKEN", "")
        return replace(found, token=token) if token else with_token(found)

    def found(self, name: str) -> Server | None:
        """Return the server with a name or address."""
        wanted = name.rstrip("/")
        return next((server for key, server in self.servers.items() if wanted in (key, server.url)), None)


def name_of(url: str) -> str:
    """Return the name of a server: its host, with the path if there is one."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"


def path() -> Path:
    """Return the file with the servers."""
    return Path(click.get_app_dir(_SERVICE)) / "servers.json"


def load() -> Servers:
    """Return the servers; raises Failure if the file is damaged."""
    try:
        read = json.loads(path().read_text(encoding="utf-8"))
        known = {name: _server(values) for name, values in read["servers"].items()}
        return Servers(str(read["default"]), known)
    except FileNotFoundError:
        return Servers()
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Failure(f"{path()} is damaged; remove it and sign in again") from error


def _server(kept: Mapping[str, Any]) -> Server:
    flags = {name: bool(kept[name]) for name in ("in_keyring", "knows_keys")}
    return Server(str(kept["url"]), str(kept["user"]), str(kept["token"]), **flags)


def save(servers: Servers) -> None:
    """Replace the file, which nobody else can read."""
    file = path()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = {
        "default": servers.default,
        "servers": {name: asdict(one) for name, one in servers.servers.items()},
    }
    new = file.with_suffix(".new")
    with os.fdopen(
        os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as written:
        os.fchmod(written.fileno(), 0o600)
        json.dump(content, written, indent=1)
    new.replace(file)


def with_token(server: Server) -> Server:
    """Return a server with its token, from the keyring if it is there."""
    if not server.in_keyring:
        return server
    try:
        import keyring  # noqa: PLC0415 - slow to load, and may be missing
        from keyring.errors import KeyringError  # noqa: PLC0415 - the same
    except ImportError:
        raise Failure("The token is in the keyring, which needs: pip install 'skerry[client]'") from None
    try:
        return replace(server, token=keyring.get_password(_SERVICE, server.url) or "")
    except KeyringError as error:
        raise Failure(f"The keyring does not give the token: {error}") from error


def keep(server: Server) -> Server:
    """Put the token into the keyring, if there is one, and return what the file is to hold."""
    with suppress(ImportError):
        import keyring  # noqa: PLC0415 - slow to load
        from keyring.errors import KeyringError  # noqa: PLC0415 - the same

        with suppress(KeyringError):
            keyring.set_password(_SERVICE, server.url, server.token)
            if keyring.get_password(_SERVICE, server.url) == server.token:
                return replace(server, token="", in_keyring=True)
    return server


def forget(server: Server) -> None:
    """Remove the token from the keyring."""
    if not server.in_keyring:
        return
    with suppress(ImportError):
        import keyring  # noqa: PLC0415 - slow to load
        from keyring.errors import KeyringError  # noqa: PLC0415 - the same

        with suppress(KeyringError):
            keyring.delete_password(_SERVICE, server.url)
