"""What is asked of the product and of Roundup beside it: the same deed, each in its own words."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from bench.beside_data import Told
from bench.data import PASSWORD
from bench.load import Request
from bench.operations import CHANGE, LIST, MEMBER, PER_PAGE, TEXT, TICKET, TITLE, WORD, opening
from bench.roundup_tracker import HOST, WEB

READING, WRITING = (1, 16), (1, 4)
"""With how many connections something is measured."""

FIELDS = "title,status,priority,assignedto,keyword,nosy,creator,actor,creation,activity"
MESSAGE_FIELDS = "author,date,content"
PASSWORD_DEEDS = ("list", "ticket", "update")
FORM = "application/x-www-form-urlencoded"

# A form of Roundup must come from Roundup's own address.
ROUNDUP = {"Host": HOST, "Origin": WEB.rstrip("/"), "Referer": WEB, "X-Requested-With": "bench"}


@dataclass(frozen=True)
class Ask:
    """A request, and what its answer has: a status, and some pieces so many times at least."""

    request: Request
    pieces: Mapping[bytes, int]
    status: int = 200


@dataclass(frozen=True)
class Deed:
    """One thing to do; where a side needs several requests for it, they follow each other."""

    name: str
    ours: tuple[Ask, ...]
    theirs: tuple[Ask, ...]
    connections: tuple[int, ...] = READING


@dataclass(frozen=True)
class SignIn:
    """How the member shows who he is to both, in how many rounds of how many seconds, and for which deeds."""

    name: str
    ours: Mapping[str, str]
    theirs: Mapping[str, str]
    rounds: int
    seconds: int = 1
    only: tuple[str, ...] = ()


def sign_ins(our_token: str, their_token: str, seconds: int) -> tuple[SignIn, ...]:
    """Give both ways: a token, and the password with each request."""
    login = {"Authorization": "Basic " + b64encode(f"{MEMBER}:{PASSWORD}".encode()).decode()}
    return (
        SignIn("token", {"X-ServiceToken": our_token}, {"Authorization": f"Bearer {their_token}"}, seconds),
        # Roundup has a few answers a second then, whatever is asked: one long round of some deeds.
        SignIn("password", login, login, rounds=1, seconds=max(3, seconds), only=PASSWORD_DEEDS),
    )


def deeds(sign_in: SignIn, told: Told) -> tuple[Deed, ...]:
    """Give all that are done with this sign-in; those that write come last."""
    maker = _Maker(sign_in.ours, {**sign_in.theirs, **ROUNDUP}, told)
    made = (
        maker.list(),
        maker.ticket(),
        maker.list_page(),
        maker.ticket_page(),
        maker.search_page(),
        maker.create(),
        maker.update(),
    )
    return tuple(deed for deed in made if not sign_in.only or deed.name in sign_in.only)


@dataclass(frozen=True)
class _Maker:
    ours: Mapping[str, str]
    theirs: Mapping[str, str]
    told: Told

    def _our(
        self, path: str, pieces: Mapping[bytes, int], accept: str = "application/json"
    ) -> tuple[Ask, ...]:
        return (Ask(Request("GET", path, headers={**self.ours, "Accept": accept}), pieces),)

    def _our_page(self, path: str, pieces: Mapping[bytes, int]) -> tuple[Ask, ...]:
        return self._our(path, pieces, "text/html")

    def _their(self, path: str, pieces: Mapping[bytes, int]) -> Ask:
        return Ask(Request("GET", path, headers=self.theirs), pieces)

    def list(self) -> Deed:
        newest = self.told.newest.encode()
        path = f"/rest/data/issue?@page_size={PER_PAGE}&@sort=-activity&@verbose=2&@fields={FIELDS}"
        return Deed(
            "list",
            self._our(f"{LIST}.json", {b'{"ticket":': PER_PAGE, newest: 1}),
            (self._their(path, {b'"title": ': PER_PAGE, newest: 1}),),
        )

    def ticket(self) -> Deed:
        """Read a ticket with its texts, for which Roundup needs a second request."""
        comment = self.told.comment.encode()
        messages = "&".join(f"id={number}" for number in range(TICKET * 3 - 2, TICKET * 3 + 1))
        return Deed(
            "ticket",
            self._our(f"{LIST}/{TICKET}.json", {b'"versions":[{': 1, comment: 1}),
            (
                self._their(f"/rest/data/issue/{TICKET}?@verbose=2&@protected=true", {b'"@etag"': 1}),
                self._their(
                    f"/rest/data/msg?{messages}&@verbose=3&@fields={MESSAGE_FIELDS}",
                    {b'"content": ': 3, comment: 1},
                ),
            ),
        )

    def list_page(self) -> Deed:
        newest = self.told.newest.encode()
        return Deed(
            "list-page",
            self._our_page(LIST, {b"<tr data-row": PER_PAGE, newest: 1}),
            (self._their(_index(), {_page_of(self.told.tickets): 1, newest: 1}),),
        )

    def ticket_page(self) -> Deed:
        comment = self.told.comment.encode()
        return Deed(
            "ticket-page",
            self._our_page(f"{LIST}/{TICKET}", {comment: 1}),
            (self._their(f"/issue{TICKET}", {comment: 1}),),
        )

    def search_page(self) -> Deed:
        newest = self.told.newest_with_word.encode()
        return Deed(
            "search-page",
            self._our_page(f"{LIST}?q={quote(WORD)}", {b"<tr data-row": PER_PAGE, newest: 1}),
            (self._their(_index(WORD), {_page_of(self.told.with_word): 1, newest: 1}),),
        )

    def create(self) -> Deed:
        values = {"@template": "item", "status": "new", "keyword": "tag1,tag2", "assignedto": MEMBER}
        form = {"@action": "new", "title": TITLE, "@note": TEXT, **values}
        return Deed(
            "create",
            (self._our_write("POST", f"{LIST}.json", opening(2), 201),),
            (self._form("/issue", form),),
            WRITING,
        )

    def update(self) -> Deed:
        form = {"@action": "edit", "title": "Changed @unique@", "status": "hold", "@note": TEXT}
        return Deed(
            "update",
            (self._our_write("PUT", f"{LIST}/@number@.json", CHANGE, 200),),
            (self._form("/issue@number@", form),),
            WRITING,
        )

    def _our_write(self, method: str, path: str, body: str, status: int) -> Ask:
        headers = {**self.ours, "Content-Type": "application/json"}
        return Ask(Request(method, path, body, headers, self.told.tickets), {b'"number":': 1}, status)

    def _form(self, path: str, values: Mapping[str, str]) -> Ask:
        """Send a form of Roundup's pages: one request, where its interface takes two or three."""
        headers = {**self.theirs, "Content-Type": FORM}
        request = Request("POST", path, urlencode(values, safe="@"), headers, self.told.tickets)
        return Ask(request, {b"Redirecting to": 1, b"ok_message": 1}, status=302)


def _page_of(total: int) -> bytes:
    """Give what Roundup says of a first page, which tells that it has found as many as there are."""
    return f"1..{PER_PAGE} out of {total}".encode()


def _index(word: str = "") -> str:
    """Give the address of Roundup's page of the newest issues, or of those with a word."""
    columns = "id,activity,title,creator,assignedto,status,keyword"
    searched = f"@search_text={quote(word)}&" if word else ""
    page = f"@sort=-activity&@pagesize={PER_PAGE}&@startwith=0&@template=index"
    return f"/issue?{searched}@columns={columns}&{page}"
