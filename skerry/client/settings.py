"""Where a client sends its requests."""

import os
import ssl
from typing import Any
from urllib.parse import quote

from skerry.client.records import ClientError, Project, Record

Where = int | str | None
"""A project: its id, its name, or None for that of the client."""


class Settings:
    """Where a client sends its requests, and how."""

    def __init__(
        self,
        url: str = "",
        token: str | None = None,
        project: Where = None,
        *,
        repeats: bool = True,
        **options: Any,
    ) -> None:
        """Create a client; ``options`` are those of httpx.

        Turn off ``repeats`` for a server that does not know an ``Idempotency-Key``: then no change that may
        have arrived is sent again.
        """
        known = os.environ.get("SKERRY_URL", "").rstrip("/")
        self.url = url.rstrip("/") or known
        if not self.url.startswith(("http://", "https://")):
            raise ClientError(["Give the address of the server, such as https://tracker.example"])
        self.project = project if project is not None else os.environ.get("SKERRY_PROJECT") or None
        self.repeats = repeats
        self._ids: dict[Where, int] = {}
        headers = dict.fromkeys(("Accept", "Content-Type"), "application/json")
        # The token of the environment is for the server of the environment.
        if token is None and self.url == (known or self.url):
            token = os.environ.get("SKERRY_TOKEN", "")
        headers |= {"User-Agent": "skerry-client", **({"X-ServiceToken": token} if token else {})}
        # To load the certificates of all authorities takes long.
        verify = self.url.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.options: dict[str, Any] = {"headers": headers, "timeout": 30, "verify": verify, **options}

    def address(self, path: str) -> str:
        """Return the address of a path, in JSON unless it has an ending."""
        path, mark, query = path.partition("?")
        ending = "" if "." in path.rsplit("/", 1)[-1] else ".json"
        return f"{self.url}{path}{ending}{mark}{query}"

    def path(self, kind: type[Record], key: object, project_id: int) -> str:
        """Return the path of a resource, or without a key of the list."""
        start = kind.path if kind.is_global() else f"/projects/{project_id}/{kind.path}"
        return f"{start}/{quote(str(key), safe='')}" if str(key) else start

    def known_id(self, project: Where) -> int | None:
        """Return the id of a project, or None if only the server knows it."""
        wanted = self.project if project is None else project
        return int(wanted) if wanted is not None and str(wanted).isdecimal() else self._ids.get(wanted)

    def learn_id(self, project: Where, found: list[Project]) -> int:
        """Return the id of the project with a name, or of the only one; raises ClientError."""
        wanted = self.project if project is None else project
        word = str(wanted).casefold()
        fits = [one for one in found if wanted is None or word in (one.name.casefold(), one.permalink)]
        if len(fits) != 1 or fits[0].id is None:
            raise ClientError([f"There is no project {wanted}" if wanted else self._question(found)])
        self._ids[wanted] = fits[0].id
        return fits[0].id

    def _question(self, found: list[Project]) -> str:
        if found:
            return f"Say which project: {', '.join(one.name for one in found)}"
        return f"There is no project yet; make one at {self.url}/projects/new"
