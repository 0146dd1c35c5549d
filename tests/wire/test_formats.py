"""The formats, the choice of a reader, and the original dialect."""

import pytest

from skerry.errors import BadRequest, UnsupportedMediaType
from skerry.wire import dialect
from skerry.wire.formats import FORMATS, JSON, XML, reader_for

from .samples import Name, Stone


def test_both_formats_have_the_same_functions() -> None:
    for name, form in FORMATS.items():
        assert form.name == name
        assert form.read(form.item(Name("Ada"))) == {"name": {"name": "Ada"}}
        assert form.read(form.errors(["a"], 404))["errors"] in ({"error": "a"}, ["a"])
        assert form.read(form.items(Stone, [])) == {"big_stones": []}


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b'{"a":{"b":"\xc3\xa9"}}'),
        ("Application/JSON ; Charset=UTF-8", b'{"a":{"b":"\xc3\xa9"}}'),
        ("application/xml", b"<a><b>\xc3\xa9</b></a>"),
        ('text/xml;charset="iso-8859-1"', b"<a><b>\xe9</b></a>"),
        ("application/x-www-form-urlencoded; charset=utf-8", b"a[b]=%C3%A9"),
    ],
)
def test_the_content_type_chooses_the_reader_and_its_charset(content_type: str, body: bytes) -> None:
    assert reader_for(content_type)(body) == {"a": {"b": "é"}}


@pytest.mark.parametrize(
    "content_type", [None, "", "text/plain", "json", "multipart/form-data; boundary=x", ";"]
)
def test_another_content_type_is_not_supported(content_type: str | None) -> None:
    with pytest.raises(UnsupportedMediaType):
        reader_for(content_type)


def test_an_unknown_charset_is_unreadable() -> None:
    with pytest.raises(BadRequest, match="klingon"):
        reader_for("application/json; charset=klingon")(b"{}")


def test_an_empty_list_of_the_original_dialect_is_nil_classes() -> None:
    assert dialect.XML.items(Stone, []).endswith(b'?><nil-classes type="array"/>')
    assert dialect.XML.items(Name, iter([Name("a")])) == XML.items(Name, [Name("a")])


@pytest.mark.parametrize(
    ("sentence", "pair"),
    [
        ("Title can't be blank", ["title", "can't be blank"]),
        ("Assigned user must be a whole number", ["assigned_user", "must be a whole number"]),
        ("Revision has already been taken", ["revision", "has already been taken"]),
        ("Open states line 3: no colour", ["base", "Open states line 3: no colour"]),
    ],
)
def test_a_422_in_the_original_dialect_is_a_list_of_pairs(sentence: str, pair: list[str]) -> None:
    assert JSON.read(b'{"a":' + dialect.JSON.errors([sentence]) + b"}") == {"a": [pair]}


def test_other_errors_of_the_original_dialect_are_as_ever() -> None:
    assert dialect.JSON.errors(["Nothing found here"], 404) == b'{"errors":["Nothing found here"]}'
