"""JSON: encoding and parsing."""

from contextlib import suppress
from json import dumps, loads
from time import process_time
from timeit import timeit
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.errors import BadRequest, SkerryError
from skerry.wire import drafts, json

from .samples import NOON, STONES, Name, Picture, Stone


def written(stone: Stone) -> dict[str, Any]:
    fields: dict[str, Any] = loads(json.item(stone))["big_stone"]
    return fields


def test_an_item_is_wrapped_in_its_name_or_another_root() -> None:
    assert json.item(Name("Ada")) == b'{"name":{"name":"Ada"}}'


def test_a_list_comes_first_with_each_item_wrapped_and_extras_follow() -> None:
    body = json.items(Name, [Name("Ada")], {"total_pages": 1, "current_page": 1})
    assert body == b'{"names":[{"name":{"name":"Ada"}}],"total_pages":1,"current_page":1}'
    assert json.items(Stone, []) == b'{"big_stones":[]}'


def test_nested_lists_are_bare_or_wrapped_and_may_be_empty() -> None:
    fields = written(Stone(pictures=[Picture("a")], drawings=[Picture("b")]))
    assert fields["pictures"] == [{"file_name": "a", "taken_at": None}]
    assert fields["drawings"] == [{"drawing": {"file_name": "b", "taken_at": None}}]
    assert written(Stone(pictures=[]))["pictures"] == []


def test_what_is_unset_is_left_out_and_nulls_are_shown() -> None:
    fields = written(Stone(finder=None))
    assert "later" not in fields
    assert "pictures" not in fields
    assert fields["owner_id"] is None
    assert fields["finder"] is None


def test_times_are_written_with_their_seconds_at_every_level() -> None:
    fields = written(Stone(found_at=NOON, pictures=[Picture(taken_at=NOON)], finder=Name("Ada")))
    assert fields["found_at"] == fields["pictures"][0]["taken_at"] == "2007-01-15T08:13:09Z"


def test_errors_are_sentences() -> None:
    assert json.errors(["Title can't be blank"]) == b'{"errors":["Title can\'t be blank"]}'


@given(STONES)
@settings(deadline=None, max_examples=100)
def test_what_is_written_is_read_back(stone: Stone) -> None:
    draft = drafts.read(Stone, json.read(json.item(stone)), creating=True)
    assert draft == {name: getattr(stone, name) for name in draft}


def test_keys_lose_their_hyphens_at_every_level() -> None:
    assert json.read(b'{"a-b":[{"c-d":{"e-f":1}}]}') == {"a_b": [{"c_d": {"e_f": 1}}]}


def test_a_byte_order_mark_and_another_charset_are_understood() -> None:
    assert json.read(b'\xef\xbb\xbf{"a":1}') == {"a": 1}
    assert json.read('{"a":"é"}'.encode("latin-1"), "ISO-8859-1") == {"a": "é"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"a"',
        b"null",
        b'{"a":1} x',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1e999}',
        b'{"a":"\xff"}',
        b'{"\xff":1}',
        b'{"a":"\\ud800"}',
        b'{"\\ud800":"a"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":' * 65 + b"1" + b"}" * 65,
        b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
        b'{"a":' * 20_000,
        b"[" * 20_000 + b"]" * 20_000,
    ],
)
def test_only_a_plain_object_is_accepted(body: bytes) -> None:
    with pytest.raises(BadRequest):
        json.read(body)


def test_64_levels_are_read() -> None:
    assert "a" in json.read(b'{"a":' * 64 + b"1" + b"}" * 64)


def test_at_most_100_000_values_are_read_in_any_part_of_a_body() -> None:
    assert len(json.read(b'{"a":[' + b"1," * 99_997 + b"1]}")["a"]) == 99_998
    for many in (b"[" + b"1," * 100_000 + b"1]", b"[" + b"{}," * 50_000 + b"1]", b'{"a":{"a":""}},' * 50_000):
        with pytest.raises(BadRequest, match="more than 100000 values"):
            json.read(b'{"a":' + many + b"}")


@pytest.mark.parametrize("text", [",[{", '",[{"', "\\", '\\",[', "é,"])
def test_texts_in_an_element_with_children_are_ignored(text: str) -> None:
    tree = {"a": text * 200_000, "b": ["", {text: 1}]}
    assert json.read(dumps(tree).encode()) == json.read(dumps(tree, ensure_ascii=False).encode()) == tree


def test_numbers_that_are_hard_to_read_take_no_longer_than_others() -> None:
    def seconds(number: bytes) -> float:
        body = b'{"a":[' + b",".join([number] * 20_000) + b"]}"
        # What the processor does for others in between does not count.
        return min(timeit(lambda: json.read(body), number=1, timer=process_time) for _ in range(3))

    assert seconds(b"1e300") < 5 * seconds(b"1.25")


def test_bytes_that_are_not_in_the_charset_are_refused() -> None:
    with pytest.raises(BadRequest, match="ascii"):
        json.read('{"a":"é"}'.encode(), "us-ascii")


PIECES = st.sampled_from([b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\ud800", b"1e9", b"null", b'{"a":'])


@given(st.lists(PIECES | st.binary(max_size=4)).map(b"".join))
@settings(deadline=None, max_examples=60)
def test_no_bytes_raise_anything_but_a_client_error(body: bytes) -> None:
    with suppress(SkerryError):
        assert isinstance(json.read(body), dict)
