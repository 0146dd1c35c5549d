"""What Trac is asked beside the product: the same deeds in its own words."""

from collections.abc import Mapping
from urllib.parse import urlencode

from bench.compare.beside_data import Told
from bench.compare.beside_operations import Ask, SignIn, form, get, long_rounds
from bench.operations import MEMBER, PER_PAGE, TEXT, TICKET, TITLE, WORD

FIELDS = "id,summary,status,resolution,type,priority,milestone,owner,reporter,cc,keywords"
COLUMNS = f"{FIELDS},time,changetime,description"
SHOWN = "id,summary,status,owner,reporter,keywords,changetime"
"""What a program is given of a ticket in a list, and what stands on a page."""

# A form must have what the cookie of the same name has, which is anything that nobody else knows.
PROOF = "5d3f0c6e91b24a7788f0e2c1"

_TYPE = b",defect,"
"""What each line of a list has, as there is one type of tickets."""

_CREATE = {
    "__FORM_TOKEN": PROOF,
    "field_summary": TITLE,
    "field_description": TEXT,
    "field_type": "defect",
    "field_priority": "minor",
    "field_keywords": "tag1 tag2",
    "action": "create_and_assign",
    "action_create_and_assign_reassign_owner": MEMBER,
    "submit": "Create ticket",
}
_UPDATE = {
    "__FORM_TOKEN": PROOF,
    "field_summary": "Changed @unique@",
    "comment": TEXT,
    "action": "hold",
    # Trac refuses changes by those who have not seen the one before, which only a page read before can tell.
    # With this it warns and saves.
    "preview": "Preview",
    "submit": "Submit changes",
}


def sign_ins(our_token: str, session: str, seconds: int) -> tuple[SignIn, ...]:
    """Return the one way: a token, and for Trac the cookies that it sets for whoever signs in."""
    cookies = {"Cookie": f"trac_auth={session}; trac_form_token={PROOF}"}
    return (long_rounds(our_token, cookies, seconds),)


def asks(headers: Mapping[str, str], told: Told) -> dict[str, tuple[Ask, ...]]:
    """Return what it is asked; its search has no form for programs, but its filter of descriptions has."""
    found = told.newest_with_word
    return {
        "list": (_list(headers, told.newest),),
        "list-later": (_list(headers, told.later, page=str(told.page)),),
        "filter": (_list(headers, found, description=f"~{WORD}"),),
        "ticket": _ticket(headers, told),
        **{name: (get(headers, *read),) for name, read in _pages(told).items()},
        "create": (_create(headers),),
        "update": (_update(headers, told),),
    }


def _list(headers: Mapping[str, str], title: str, **more: str) -> Ask:
    return get(headers, _query(COLUMNS, format="csv", **more), {_TYPE: PER_PAGE, title.encode(): 1})


def _query(columns: str, **more: str) -> str:
    """Return the address of the tickets changed last, of all or of those that ``more`` says."""
    values = {"id": "!0", "order": "changetime", "desc": "1", "max": str(PER_PAGE), **more}
    return "/query?" + urlencode([*values.items(), *(("col", each) for each in columns.split(","))])


def _ticket(headers: Mapping[str, str], told: Told) -> tuple[Ask, ...]:
    """Read a ticket with its texts: the one form for programs has the fields, the other one the comments."""
    path = f"/ticket/{TICKET}?format="
    return (
        get(headers, f"{path}csv", {_TYPE: 1}),
        get(headers, f"{path}rss", {b"<item>": 2, told.comment.encode(): 1}),
    )


def _pages(told: Told) -> dict[str, tuple[str, Mapping[bytes, int]]]:
    newest, found = told.newest.encode(), told.latest_with_word.encode()
    rows = {b'<td class="id">': PER_PAGE, f"({told.tickets} matches)".encode(): 1, newest: 1}
    counted = f"of {told.with_word})".encode()
    return {
        "list-page": (_query(SHOWN), rows),
        "ticket-page": (f"/ticket/{TICKET}", {told.comment.encode(): 1}),
        "search-page": (f"/search?{urlencode({'q': WORD, 'ticket': 'on'})}", {counted: 1, found: 1}),
    }


def _create(headers: Mapping[str, str]) -> Ask:
    """Open a ticket; the answer leads to it without a word, so that the one opened last tells what it is."""
    made = {f",{TITLE},assigned,".encode(): 1, b",tag1 tag2,": 1}
    then = get(headers, _query(COLUMNS, format="csv", order="id", max="1"), made)
    return Ask(form(headers, "/newticket", _CREATE, 1), {}, status=303, then=then)


def _update(headers: Mapping[str, str], told: Told) -> Ask:
    """Change a ticket; the one changed last tells whether it was done."""
    then = get(headers, _query(COLUMNS, format="csv", max="1"), {b",Changed ": 1, b",hold,": 1})
    return Ask(form(headers, "/ticket/@number@", _UPDATE, told.tickets), {}, status=303, then=then)
