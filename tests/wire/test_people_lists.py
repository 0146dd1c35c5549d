"""Lists of people, as spreadsheets save them."""

import pytest

from skerry.errors import Invalid
from skerry.wire.people_lists import read_people

DORA = {"5": ("dörte@example.org", "Dörte")}


@pytest.mark.parametrize(
    "text",
    [
        "5,dörte@example.org,Dörte",
        "id;email;name\r\n5;dörte@example.org;Dörte\r\n",
        "5\tdörte@example.org\tDörte",
        "sep=;\r\nid;email;name\r\n5;dörte@example.org;Dörte",
        "sep=|\n05|dörte@example.org|Dörte",
        "E-Mail,Name,ID\ndörte@example.org,Dörte,005",
        "Full Name;User ID;Phone;E-mail address\nDörte;5;0123;dörte@example.org",
        '"id","email","name"\n\n"5","dörte@example.org","Dörte"',
        "dörte@example.org;5;Dörte",
        "Dörte;dörte@example.org;5.0",
        "5.00|dörte@example.org|Dörte",
        "5,Dörte <dörte@example.org>",
        '5;"""Dörte"" <mailto:dörte@example.org>"',
        '"5,0";dörte@example.org;Dörte',
        '\n\n5;dörte@example.org;"Dörte"\n;;\n',
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_list_is_read_as_any_spreadsheet_saves_it(text: str, charset: str) -> None:
    assert read_people(text.encode(charset)) == DORA


def test_a_name_may_be_missing_and_may_have_separators_and_line_ends() -> None:
    assert read_people(b'7,a@b\n8,c@d,"Burton, Ben;\nor so"') == {
        "7": ("a@b", ""),
        "8": ("c@d", "Burton, Ben;\nor so"),
    }


def test_what_another_tracker_calls_a_person_may_be_any_text_beside_the_address() -> None:
    for text in ("b@c.de,ben", "ben,b@c.de", "ben,b@c.de,"):
        assert read_people(text.encode(), by_key=True) == {"ben": ("b@c.de", "")}
    assert read_people(b"b@old.de,b@c.de", by_key=True) == {"b@old.de": ("b@c.de", "")}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("7,a@b\nx,c@d", "Line 2 of the list of people, column 1, must be an id"),
        ("7.5,a@b", "column 1"),
        ("7,x", "column 2"),
    ],
)
def test_what_cannot_be_understood_is_named_with_its_place(text: str, place: str) -> None:
    with pytest.raises(Invalid, match=place):
        read_people(text.encode())
