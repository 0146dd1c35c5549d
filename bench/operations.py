"""The operations that are measured, each with what it must answer and how fast it should be."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bench.data import PASSWORD
from bench.load import Request

MEMBER = "person1@example.org"

READ_PROJECT, WRITTEN_PROJECT = 1, 2
"""What is written goes to another project, so that what is read stays as it is."""

LIST = f"/projects/{READ_PROJECT}/tickets"
TICKET = 77
PER_PAGE = 30

WORD = "common"
THREE_KEYS = "state:open responsible:3 tagged:tag1"

TEXT = (
    "The rain comes in at the gable when the wind is from the west. It runs along the second rafter, "
    "drips on the *landing* and has reached the floor below. I have put a bucket there.\n\n"
    "1. Look at the flashing around the chimney\n2. Look at the tiles above the gutter\n\n"
    "See #3 for last winter's repair; `ridge.py` has the measurements."
)
TITLE = "Rain at the gable"

_JSON_TEXT = TEXT.replace("\n", "\\n")

CHANGE = f'{{"ticket":{{"title":"Changed @unique@","state":"hold","body":"{_JSON_TEXT}"}}}}'
"""What changes a ticket; the load makes its title another one each time."""


def opening(responsible: int) -> str:
    """Return what opens a ticket for somebody."""
    values = f'"tag":"tag1 tag2","assigned_user_id":{responsible}'
    return f'{{"ticket":{{"title":"{TITLE}","body":"{_JSON_TEXT}",{values}}}}}'


@dataclass(frozen=True)
class Operation:
    """One thing to do; ``piece`` stands so many ``times`` in a right answer.

    ``least`` is the share of the bare program's rate that is aimed at. One that is ``conditional`` says that
    it knows the answer. The bare program answers with the very ``same`` bytes, or with anything.
    """

    name: str
    request: Request
    piece: bytes = b""
    times: int = 1
    status: int = 200
    bare: str = ""
    same: bool = False
    conditional: bool = False
    least: float | None = None


def operations(token: str, tickets_to_change: int, pages: int = 1) -> tuple[Operation, ...]:
    """Return all of them, for the bearer of a token; those that write come last.

    ``pages`` is how many full pages are read, the last of them as the late one.
    """
    maker = _Maker({"X-ServiceToken": token}, tickets_to_change, pages)
    return (
        *maker.lists(),
        *maker.tickets(),
        *maker.unchanged(),
        *maker.searches(),
        *maker.signs_in(),
        *maker.writes(),
    )


@dataclass(frozen=True)
class _Maker:
    headers: Mapping[str, str]
    highest: int
    pages: int
    json: bytes = b'{"ticket":'
    xml: bytes = b"<ticket>"

    def _get(self, path: str) -> Request:
        return Request("GET", path, headers=self.headers)

    def _page(self, path: str) -> Request:
        return Request("GET", path, headers={**self.headers, "Accept": "text/html"})

    def _any_page(self, path: str) -> Request:
        """Read pages in no order, more of them than whose tickets are kept."""
        return Request("GET", path, headers=self.headers, highest=self.pages)

    def _same(self, name: str, path: str, piece: bytes, times: int, least: float | None = 0.6) -> Operation:
        """Read what the bare program gives too, to the byte."""
        return Operation(name, self._get(path), piece, times, bare=f"/{name}", same=True, least=least)

    def lists(self) -> tuple[Operation, ...]:
        return (
            self._same("list-json", f"{LIST}.json", self.json, PER_PAGE),
            self._same("list-xml", f"{LIST}.xml", self.xml, PER_PAGE),
            Operation(
                "page-late",
                self._get(f"{LIST}.json?page={self.pages}"),
                self.json,
                PER_PAGE,
                bare=f"/list-json/{self.pages}",
                same=True,
            ),
            Operation("page-any", self._any_page(f"{LIST}.json?page=@number@"), self.json, PER_PAGE),
            Operation("list-html", self._page(LIST), b' data-row="', PER_PAGE),
        )

    def tickets(self) -> tuple[Operation, ...]:
        path = f"{LIST}/{TICKET}"
        return (
            self._same("get-json", f"{path}.json", b'"versions":[{', 1),
            self._same("get-xml", f"{path}.xml", b"<versions ", 1),
            self._any_ticket(f"/projects/{WRITTEN_PROJECT}/tickets/@number@.json"),
        )

    def _any_ticket(self, path: str) -> Operation:
        """Read tickets in no order, more of them than are kept."""
        request = Request("GET", path, headers=self.headers, highest=self.highest)
        return Operation("get-any", request, b'"versions":[{', bare="/get-any/@number@")

    def unchanged(self) -> tuple[Operation, ...]:
        return tuple(
            Operation(name, self._get(path), status=304, conditional=True)
            for name, path in (("list-304", f"{LIST}.json"), ("get-304", f"{LIST}/{TICKET}.json"))
        )

    def searches(self) -> tuple[Operation, ...]:
        return tuple(
            Operation(name, self._get(f"{LIST}.json?q={quote(query)}"), b'{"tickets":[', bare=f"/{name}")
            for name, query in (("search-word", WORD), ("search-keys", THREE_KEYS))
        )

    def signs_in(self) -> tuple[Operation, ...]:
        login = b64encode(f"person1@example.org:{PASSWORD}".encode()).decode()
        request = Request("GET", "/profile.json", headers={"Authorization": f"Basic {login}"})
        return (Operation("sign-in", request, b'"user"'),)

    def writes(self) -> tuple[Operation, ...]:
        project = f"/projects/{WRITTEN_PROJECT}"
        commit = (
            '{"changeset":{"revision":"@unique@","title":"Mend the gutter",'
            '"body":"Mend the gutter [#@number@ state:resolved]","changes":"[[\'M\', \'/roof.py\']]"}}'
        )
        return (
            self._write("create", "POST", f"{project}/tickets.json", opening(3), 201, least=0.5),
            self._write("update", "PUT", f"{project}/tickets/@number@.json", CHANGE, 200, least=0.5),
            self._write("changeset", "POST", f"{project}/changesets.json", commit, 201),
        )

    def _write(
        self, name: str, method: str, path: str, body: str, status: int, *, least: float | None = None
    ) -> Operation:
        headers = {**self.headers, "Content-Type": "application/json"}
        request = Request(method, path, body, headers, self.highest)
        piece = b'"revision":' if name == "changeset" else b'"number":'
        return Operation(name, request, piece, status=status, bare=f"/{name}/@number@", least=least)
