"""Lists of people, as spreadsheets save them."""

import pytest

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
