"""XML: encoding and parsing."""

from contextlib import suppress
from datetime import datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skerry.errors import BadRequest, SkerryError
from skerry.wire import drafts, xml, xmlreader

from .samples import NOON, STONES, Name, Picture, Stone

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>'


def test_an_item_is_its_hyphenated_root_with_typed_fields() -> None:
    document = xml.item(Picture(file_name="roof.png", taken_at=NOON))
    assert document == (
        HEAD + b"<picture><file-name>roof.png</file-name>"
        b'<taken-at type="datetime">2007-01-15T08:13:09Z</taken-at></picture>'
    )


def test_null_keeps_its_type_and_empty_text_is_not_null() -> None:
    document = xml.item(Stone())
    assert b'<owner-id type="integer" nil="true"/>' in document
    assert b'<found-at type="datetime" nil="true"/>' in document
    assert b'<note nil="true"/>' in document
    assert b"<title/>" in document
    assert b'<wet type="boolean">false</wet>' in document


def test_what_is_unset_and_empty_nested_lists_are_left_out() -> None:
    document = xml.item(Stone(pictures=[]))
    assert not any(name in document for name in (b"later", b"pictures", b"drawings", b"finder"))


def test_a_list_is_typed_and_an_empty_one_keeps_its_name() -> None:
    one = b"<big-stone>"
    assert xml.items(Stone, [Stone()]).startswith(HEAD + b'<big-stones type="array">' + one)
    assert xml.items(Stone, [], {"total_pages": 0}) == HEAD + b'<big-stones type="array"/>'


def test_extra_numbers_follow_the_items_untyped() -> None:
    document = xml.items(Name, [Name("Ada")], {"total_pages": 2, "current_page": 1})
    assert document.endswith(
        b"</name></name><total_pages>2</total_pages><current_page>1</current_page></names>"
    )


def test_nested_lists_name_and_type_their_items() -> None:
    document = xml.item(Stone(pictures=[Picture("a")], drawings=[Picture("b")]))
    null = b'<taken-at type="datetime" nil="true"/>'
    assert b'<pictures type="array"><pic type="A::Picture"><file-name>a</file-name>' + null in document
    assert b'<drawings type="array"><sketch type="D"><file-name>b</file-name>' + null in document


def test_a_nested_record_is_an_element_of_its_field() -> None:
    assert b"<finder><name>Ada</name></finder>" in xml.item(Stone(finder=Name("Ada")))
    assert b'<finder nil="true"/>' in xml.item(Stone(finder=None))


def test_a_list_of_numbers_is_text_in_brackets() -> None:
    assert b"<friends-ids>[134, 234, 345]</friends-ids>" in xml.item(Stone(friends_ids=[134, 234, 345]))


def test_a_mapping_is_nested_elements_that_keep_their_types() -> None:
    document = xml.item(Stone(was={"state": "new", "owner": None, "weight": 3, "tag": None}))
    assert (
        b'<was><state>new</state><owner type="integer" nil="true"/>'
        b'<weight type="integer">3</weight><tag nil="true"/></was>'
    ) in document
    assert b"<was/>" in xml.item(Stone())


@given(
    st.lists(st.tuples(st.sampled_from("AMD"), st.text(st.characters(exclude_categories=["C"]), min_size=1)))
)
@example([("M", "/a b: c"), ("A", "no"), ("D", "- x"), ("A", "/~"), ("A", "\u2028")])
@settings(deadline=None, max_examples=50)
def test_changed_files_are_written_as_yaml(rows: list[tuple[str, str]]) -> None:
    document = xml.item(Stone(changes=rows))
    assert b'<changes type="yaml">' in document
    text = xmlreader.read(document)["big_stone"]["changes"]
    assert yaml.safe_load(text) == [list(row) for row in rows]


def test_a_file_that_is_called_yes_or_no_is_no_flag() -> None:
    document = xml.item(Stone(changes=[("A", "Y"), ("M", "n"), ("D", "/N")]))
    assert b'- - A\n  - "Y"\n- - M\n  - "n"\n- - D\n  - /N\n' in document


def test_times_are_utc_in_whole_seconds() -> None:
    paris = timezone(timedelta(hours=1))
    document = xml.item(Picture(taken_at=datetime(2007, 1, 15, 9, 13, 9, 999_999, tzinfo=paris)))
    assert b">2007-01-15T08:13:09Z<" in document


def test_a_character_that_xml_cannot_hold_is_replaced() -> None:
    for character in "\0\x1b\ufffe\uffff\ud800":
        assert xmlreader.read(xml.item(Name(f"a{character}b"))) == {"name": {"name": "a\ufffdb"}}


def test_errors_are_sentences() -> None:
    assert xml.errors(["Title can't be <blank>"]) == (
        HEAD + b"<errors><error>Title can't be &lt;blank&gt;</error></errors>"
    )


@given(STONES)
@settings(deadline=None, max_examples=100)
def test_what_is_written_is_read_back(stone: Stone) -> None:
    draft = drafts.read(Stone, xmlreader.read(xml.item(stone)), creating=True)
    assert {**draft, "changes": []} == {name: getattr(stone, name) for name in draft}


def test_names_lose_their_hyphens_and_types_are_ignored() -> None:
    body = b'<ticket a="b"><milestone-id type="Integer">3</milestone-id><due_on type="?">x</due_on></ticket>'
    assert xmlreader.read(body) == {"ticket": {"milestone_id": "3", "due_on": "x"}}


def test_nil_cdata_and_empty_elements_are_read() -> None:
    body = b'<t><a nil="true"/><b><![CDATA[<x> & y]]></b><c/><d> &#13;\n</d></t>'
    assert xmlreader.read(body) == {"t": {"a": None, "b": "<x> & y", "c": "", "d": " \r\n"}}


def test_arrays_and_repeated_names_are_lists() -> None:
    body = b'<t><a type="Array"><x>1</x><y><z>2</z></y></a><b>1</b><b>2</b><c type="array"/></t>'
    assert xmlreader.read(body) == {"t": {"a": ["1", {"z": "2"}], "b": ["1", "2"], "c": []}}
    assert xmlreader.read(b'<t><a type="array">[1, 2]</a></t>') == {"t": {"a": "[1, 2]"}}


def test_declared_encodings_are_honoured_and_the_header_wins() -> None:
    latin = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'
    assert xmlreader.read(latin.encode("latin-1")) == {"a": "é"}
    assert xmlreader.read(latin.encode(), "UTF-8") == {"a": "é"}
    assert xmlreader.read('<?xml version="1.0" encoding="utf-16"?><a>é</a>'.encode("utf-16")) == {"a": "é"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<a>",
        b"<a></b>",
        b"<a/><b/>",
        b"<a>\xff</a>",
        b"<a>&#0;</a>",
        b"<a>\x01</a>",
        b"<a>&other;</a>",
        b"<!DOCTYPE a><a/>",
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        b'<?xml version="1.0" encoding="idna"?><a/>',
        b'<?xml version="1.0" encoding="rot13"?><a/>',
        b'<?xml version="1.0" encoding="utf-7"?><a/>',
        b'<?xml version="1.0" encoding="unheard-of"?><a/>',
        b"<a>" * 65 + b"</a>" * 65,
        b"<a>" * 100_000,
    ],
)
def test_invalid_xml_is_refused_with_its_line(body: bytes) -> None:
    with pytest.raises(BadRequest, match=r"line \d"):
        xmlreader.read(body)


def test_64_levels_are_read() -> None:
    assert "a" in xmlreader.read(b"<a>" * 64 + b"</a>" * 64)


def test_at_most_100_000_elements_and_attributes_are_read() -> None:
    many = b"<a b='' c='' d=''/>" * 24_999
    assert len(xmlreader.read(b"<t><x/><x/><x/>" + many + b"</t>")["t"]["a"]) == 24_999
    with pytest.raises(BadRequest, match="more than 100000 values, line 2"):
        xmlreader.read(b"<t><x/><x/><x/><x/>\n" + many + b"</t>")


def test_markup_has_a_longest_length_and_texts_have_none_here() -> None:
    text = b"a<![CDATA[" + b"<b c='d'>" * 100_000 + b"]]>\n&amp;" + b"e" * 1_000_000
    long = b"a" * 100_000
    assert len(xmlreader.read(b"<t><!--" + long + b"--><x y='" + long + b"'/><z>" + text + b"</z></t>")) == 1
    for markup in (b"<a b='%s'/>", b"<!--%s-->", b"<?a %s?>"):
        with pytest.raises(BadRequest, match="too long, line 2"):
            xmlreader.read(b"<t>\n" + markup % (long * 4) + b"</t>")


def test_an_unknown_charset_is_refused() -> None:
    with pytest.raises(BadRequest, match="hex"):
        xmlreader.read(b"<a/>", "hex")


MARKUP = st.sampled_from(
    [b"<a>", b"</a>", b"<a/>", b"<!", b"<?xml", b"?>", b"&", b"]]>", b"<![CDATA[", b"\0"]
)


@given(st.lists(MARKUP | st.binary(max_size=4)).map(b"".join))
@settings(deadline=None, max_examples=60)
def test_no_bytes_raise_anything_but_a_client_error(body: bytes) -> None:
    with suppress(SkerryError):
        assert len(xmlreader.read(body)) == 1
