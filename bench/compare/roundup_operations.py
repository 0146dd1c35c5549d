"""What Roundup is asked beside the product: the same deeds in its own words."""

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import quote

from bench.compare.beside_data import Told
from bench.compare.beside_operations import Ask, SignIn, form, get
from bench.data import PASSWORD
from bench.operations import MEMBER, PER_PAGE, TEXT, TICKET, TITLE, WORD

HOST = "tracker.example.org"
WEB = f"http://{HOST}/"

FIELDS = "title,status,priority,assignedto,keyword,nosy,creator,actor,creation,activity"
MESSAGE_FIELDS = "author,date,content"
PASSWORD_DEEDS = ("list", "ticket", "update")

# A form of Roundup must come from Roundup's own address.
OWN = {"Host": HOST, "Origin": WEB.rstrip("/"), "Referer": WEB, "X-Requested-With": "bench"}


def sign_ins(our_token: str, their_token: str, seconds: int) -> tuple[SignIn, ...]:
    """Return both ways: a token, and the password with each request."""
    login = {"Authorization": "Basic " + b64encode(f"{MEMBER}:{PASSWORD}".encode()).decode()}
    return (
        SignIn("token", {"X-ServiceToken": our_token}, {"Authorization": f"Bearer {their_token}"}, seconds),
        # Roundup has a few answers a second then, whatever is asked: one long round of some deeds.
        SignIn("password", login, login, rounds=1, seconds=max(3, seconds), only=PASSWORD_DEEDS),
    )


def asks(headers: Mapping[str, str], told: Told) -> dict[str, tuple[Ask, ...]]:
    """Return what it is asked; its REST interface does not search texts, and a later page is not cut off."""
    own = {**headers, **OWN}
    newest, found = told.newest.encode(), told.newest_with_word.encode()
    return {
        "list": (get(own, _list(), {b'"title": ': PER_PAGE, newest: 1}),),
        "ticket": _ticket(own, told),
        "list-page": (get(own, _index(), {_page_of(told.tickets): 1, newest: 1}),),
        "ticket-page": (get(own, f"/issue{TICKET}", {told.comment.encode(): 1}),),
        "search-page": (get(own, _index(WORD), {_page_of(told.with_word): 1, found: 1}),),
        "create": (_form(own, told, "/issue", _CREATE),),
        "update": (_form(own, told, "/issue@number@", _UPDATE),),
    }


def _list() -> str:
    return f"/rest/data/issue?@page_size={PER_PAGE}&@sort=-activity&@verbose=2&@fields={FIELDS}"


def _ticket(headers: Mapping[str, str], told: Told) -> tuple[Ask, ...]:
    """Read a ticket with its texts, for which Roundup needs a second request."""
    messages = "&".join(f"id={number}" for number in range(TICKET * 3 - 2, TICKET * 3 + 1))
    texts = f"/rest/data/msg?{messages}&@verbose=3&@fields={MESSAGE_FIELDS}"
    return (
        get(headers, f"/rest/data/issue/{TICKET}?@verbose=2&@protected=true", {b'"@etag"': 1}),
        get(headers, texts, {b'"content": ': 3, told.comment.encode(): 1}),
    )


def _page_of(total: int) -> bytes:
    """Return what Roundup says of a first page, which tells that it has found as many as there are."""
    return f"1..{PER_PAGE} out of {total}".encode()


def _index(word: str = "") -> str:
    """Return the address of Roundup's page of the newest issues, or of those with a word."""
    columns = "id,activity,title,creator,assignedto,status,keyword"
    searched = f"@search_text={quote(word)}&" if word else ""
    page = f"@sort=-activity&@pagesize={PER_PAGE}&@startwith=0&@template=index"
    return f"/issue?{searched}@columns={columns}&{page}"


def _form(headers: Mapping[str, str], told: Told, path: str, values: Mapping[str, str]) -> Ask:
    """Send a form of Roundup's pages: one request, where its interface takes two or three."""
    sent = form(headers, path, values, told.tickets)
    return Ask(sent, {b"Redirecting to": 1, b"ok_message": 1}, status=302)


_CREATE = {
    "@action": "new",
    "title": TITLE,
    "@note": TEXT,
    "@template": "item",
    "status": "new",
    "keyword": "tag1,tag2",
    "assignedto": MEMBER,
}
_UPDATE = {"@action": "edit", "title": "Changed @unique@", "status": "hold", "@note": TEXT}
