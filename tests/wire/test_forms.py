"""Parsing of URL-encoded forms."""

import random
import tracemalloc
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.errors import BadRequest, SkerryError
from skerry.wire import forms


def test_brackets_make_the_tree_that_xml_and_json_make() -> None:
    body = b"ticket[title]=a+b%21&ticket[milestone-id]=3&ticket%5Bwatchers%5D[]=1&ticket[watchers][]=2&x=1,2"
    assert forms.read(body) == {
        "ticket": {"title": "a b!", "milestone_id": "3", "watchers": ["1", "2"]},
        "x": "1,2",
    }


def test_the_last_of_a_repeated_name_counts() -> None:
    assert forms.read(b"public=0&public=1&&") == {"public": "1"}


def test_lists_of_trees_start_a_new_tree_when_a_member_repeats() -> None:
    assert forms.read(b"a[][b]=1&a[][c]=2&a[][b]=3") == {"a": [{"b": "1", "c": "2"}, {"b": "3"}]}
    assert forms.read(b"a[][]=1&a[][b][]=2") == {"a": [["1"], {"b": ["2"]}]}


def test_stray_brackets_are_plain_characters_and_nameless_fields_are_ignored() -> None:
    assert forms.read(b"a[b=1&]c=2&=3") == {"a[b": "1", "]c": "2"}


def test_another_charset_is_understood() -> None:
    assert forms.read(b"a=%E9&b=\xe9", "iso-8859-1") == {"a": "é", "b": "é"}


@pytest.mark.parametrize(
    "body",
    [
        b"a=%",
        b"a=%4",
        b"a%zz=1",
        b"a=%FF",
        b"a=\xff",
        b"a=1&a[b]=2",
        b"a[b]=1&a=2",
        b"a[]=1&a[b]=2",
        b"a[b]=1&a[]=2",
        b"a" + b"[b]" * 64 + b"=1",
        b"a" + b"[]" * 5000 + b"=1",
        b"&".join([b"a=1"] * 1001),
    ],
)
def test_broken_or_contradicting_forms_are_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        forms.read(body)


def test_64_levels_and_a_thousand_fields_are_read() -> None:
    assert "a" in forms.read(b"a" + b"[b]" * 63 + b"=1")
    assert forms.read(b"&".join([b"a[]=1"] * 1000)) == {"a": ["1"] * 1000}


@given(st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), st.text()))
@settings(deadline=None, max_examples=100)
def test_what_is_encoded_is_read_back(fields: dict[str, str]) -> None:
    assert forms.read(urlencode({f"t[{name}]": value for name, value in fields.items()}).encode()) == (
        {"t": fields} if fields else {}
    )


def test_a_form_of_escapes_takes_no_more_memory_than_others() -> None:
    body = b"a=" + b"%41" * 100_000
    tracemalloc.start()
    try:
        assert forms.read(body) == {"a": "A" * 100_000}
        assert tracemalloc.get_traced_memory()[1] < 5 * len(body)
    finally:
        tracemalloc.stop()


@given(st.binary())
@settings(deadline=None, max_examples=100)
def test_every_byte_can_be_escaped(value: bytes) -> None:
    body = "a=" + "".join(f"%{byte:02{random.choice('xX')}}" for byte in value)
    assert forms.read(body.encode(), "latin1") == {"a": value.decode("latin1")}


PIECES = st.sampled_from([b"a", b"b", b"[", b"]", b"[]", b"[a]", b"=", b"&", b"%41", b"%", b"+"])


@given(
    st.lists(PIECES | st.binary(max_size=3)).map(b"".join), st.sampled_from([None, "utf-16", "latin1", "hex"])
)
@settings(deadline=None, max_examples=60)
def test_no_bytes_raise_anything_but_a_client_error(body: bytes, charset: str | None) -> None:
    with suppress(SkerryError):
        assert isinstance(forms.read(body, charset), dict)
