"""What hooks and push services send of their commits, in many forms."""

import json
from xml.sax.saxutils import escape

import pytest

from tests.support.client import FORM
from tests.web.test_changesets import SHA, WHEN, pairs

pytestmark = pytest.mark.matrix("formats")


def test_the_form_of_an_old_hook_is_read(ben, roof):
    raw = (
        f"changeset[revision]={SHA}&changeset[changed-at]=2008-04-01+15:48:46+UTC&changeset[title]=By+Ben"
        "&changeset[changes]=---+%0A-+-+M%0A++-+/a.rb%0A&changeset[committer]=ben&commit=Save"
    ).encode()
    item = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind=FORM).item
    assert (item["title"], item["changed_at"], pairs(item)) == (
        "By Ben",
        "2008-04-01T15:48:46Z",
        [["M", "/a.rb"]],
    )


def test_the_form_fields_of_a_shell_script_are_read(ben, roof):
    raw = b"changeset%5Brevision%5D=7&changeset[changes][]=A%20/a&changeset[changes][]=M%20/b"
    item = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind=FORM).item
    assert (item["revision"], pairs(item)) == ("7", [["A", "/a"], ["M", "/b"]])


def test_the_document_of_a_push_service_is_read(ben, roof):
    changes = escape("---\n- - A\n  - lib/a.rb\n- - R\n  - \"lib/b & c.rb\"\n- - M\n  - 'd'\n")
    raw = f"""<changeset>
          <title>Changeset [{SHA}] by Ben &amp; Co</title>
          <body>A message\nhttp://example.org/commit/{SHA}</body>
          <changes type="yaml">{changes}</changes>
          <committer>Ben</committer>
          <revision>{SHA}</revision>
          <changed-at type="datetime">2011-06-01T12:00:00-07:00</changed-at>
        </changeset>""".encode()
    item = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind="application/xml").item
    assert item["title"] == f"Changeset [{SHA}] by Ben & Co"
    assert item["changed_at"] == "2011-06-01T19:00:00Z"
    assert pairs(item) == [["A", "lib/a.rb"], ["D", "lib/b & c.rb"], ["M", "d"]]


def test_documented_lines_in_xml_are_read(ben, roof):
    raw = (
        b'<changeset><revision>9</revision><changes type="yaml">\n  - A /a\n  - M /b\n</changes>'
        b"<changed_at>2007-01-15</changed_at></changeset>"
    )
    item = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind="text/xml; charset=utf-8").item
    assert pairs(item) == [["A", "/a"], ["M", "/b"]]
    assert item["changed_at"] == "2007-01-15T00:00:00Z"


def test_paths_are_read_as_old_ruby_writes_them(ben, roof):
    changes = '--- \n- - A\n  - "/caf\\xC3\\xA9.rb"\n'
    raw = f'<changeset><revision>9</revision><changes type="yaml">{changes}</changes></changeset>'.encode()
    item = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind="application/xml").item
    assert pairs(item) == [["A", "/café.rb"]]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([["M", "/a"], ["A", "/b", "extra"], ["R", "/c"]], [["M", "/a"], ["A", "/b"], ["D", "/c"]]),
        ([["M", "/a"], ["and 2000 more"]], [["M", "/a"]]),
        (["A /a"], [["A", "/a"]]),
        ("M /a\nM /b", [["M", "/a"], ["M", "/b"]]),
        ([], []),
        (None, []),
        ("[]", []),
    ],
)
def test_json_pairs_and_texts_are_read(ben, roof, changes, expected):
    raw = json.dumps({"changeset": {"revision": 42, "changed-at": WHEN, "changes": changes}}).encode()
    answer = ben.send("POST", f"/projects/{roof}/changesets", raw=raw, kind="application/json")
    assert (answer.item["revision"], answer.item["changed_at"]) == ("42", WHEN)
    assert pairs(answer.item) == expected
