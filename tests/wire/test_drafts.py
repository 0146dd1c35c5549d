"""Drafts: what a client may write."""

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.errors import BadRequest, Invalid, SkerryError
from skerry.resources.tickets import Ticket
from skerry.wire import drafts, forms, json, xmlreader
from skerry.wire.record import UNSET, Record, within, writable
from skerry.wire.values import check_text, whole_numbers

from .samples import Stone


def read(**members: Any) -> drafts.Sent:
    return drafts.read(Stone, {"big_stone": members}, creating=False)


def sentences(**members: Any) -> tuple[str, ...]:
    with pytest.raises(Invalid) as caught:
        read(**members)
    return caught.value.sentences


def test_only_writable_fields_that_were_sent_are_taken() -> None:
    assert read(title="a", was={"b": 2}, unknown={"c": 1}, pictures=[{"file_name": 3}]) == {"title": "a"}


@pytest.mark.parametrize("tree", [{"big_stone": {"weight": 1}}, {"stone": {"weight": "1"}, "other": []}])
def test_the_root_may_have_each_of_its_names(tree: dict[str, Any]) -> None:
    assert drafts.read(Stone, tree, creating=False) == {"weight": 1}


@pytest.mark.parametrize(
    "tree",
    [{}, {"title": "a"}, {"ticket": "a"}, {"ticket": None}, {"ticket": ""}, {"ticket": [{"title": "a"}]}],
)
def test_a_tree_without_the_root_is_refused(tree: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match='The request must contain "ticket"'):
        drafts.read(Ticket, tree, creating=True)


@pytest.mark.parametrize("body", [b'{"ticket": {"title": "a"}}', b"\n<ticket><title>a=b</title></ticket>"])
def test_what_was_sent_as_a_form_but_is_none_is_refused_with_a_hint(body: bytes) -> None:
    with pytest.raises(BadRequest, match='must contain "ticket"; its Content-Type says that it is a form'):
        drafts.read(Ticket, forms.read(body), creating=True)


def test_an_empty_root_holds_nothing() -> None:
    assert drafts.read(Ticket, {"ticket": {}}, creating=False) == {}
    with pytest.raises(Invalid, match="Title can't be blank"):
        drafts.read(Ticket, {"ticket": {}}, creating=True)


@pytest.mark.parametrize("value", [None, "", 0, "0", " 0 ", "nil"])
def test_an_id_is_cleared_in_many_ways(value: Any) -> None:
    assert read(owner_id=value) == {"owner_id": None}


@pytest.mark.parametrize("value", [3, "3", " 3\n", "+3", 3.0])
def test_whole_numbers_may_come_as_text(value: Any) -> None:
    assert read(owner_id=value, weight=value) == {"owner_id": 3, "weight": 3}


@pytest.mark.parametrize("value", ["28145-01", "28145 ", "28145}", "28145-roof", " 28145, 3"])
def test_the_leading_number_of_an_id_with_stray_characters_counts(value: str) -> None:
    assert read(owner_id=value) == {"owner_id": 28145}
    assert sentences(weight=value.strip() + "-") == ("Weight must be a whole number",)


def test_zero_is_kept_where_it_is_a_number_and_nothing_is_the_default() -> None:
    assert read(weight="0", height=0) == {"weight": 0, "height": 0}
    assert read(weight="", height="") == {"weight": 0, "height": None}


@pytest.mark.parametrize("value", ["soon", "3.5", 3.5, True, [], {"a": 1}, "1_0", "٣"])
def test_an_invalid_number_is_refused_by_name(value: Any) -> None:
    assert sentences(owner_id=value) == ("Owner must be a whole number",)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, str(2**63), 1e30])
def test_a_number_must_fit_64_bits(value: Any) -> None:
    assert sentences(owner_id=value) == (f"Owner must be a whole number from {-(2**63)} to {2**63 - 1}",)
    assert read(owner_id=2**63 - 1) == {"owner_id": 2**63 - 1}


@pytest.mark.parametrize("value", [True, 1, "1", "true", " TRUE ", "on"])
def test_yes_has_many_spellings(value: Any) -> None:
    assert read(wet=value) == {"wet": True}


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ('<wet><content type="boolean">true</content></wet>', {"wet": True}),
        ('<weight type="integer"><content>3</content></weight>', {"weight": 3}),
        (
            "<found-at><content>2007-01-15</content></found-at>",
            {"found_at": datetime(2007, 1, 15, tzinfo=UTC)},
        ),
    ],
)
def test_the_text_of_a_lone_nested_element_counts_where_no_text_is_meant(
    element: str, value: dict[str, Any]
) -> None:
    assert drafts.read(Stone, xmlreader.read(f"<stone>{element}</stone>".encode()), creating=False) == value


@pytest.mark.parametrize("inside", ["<a>1</a><b>1</b>", "<a>1</a><a>1</a>", "<a><b>1</b></a>", "<a>soon</a>"])
def test_anything_else_in_an_element_of_a_value_is_refused(inside: str) -> None:
    tree = xmlreader.read(f"<stone><wet>{inside}</wet></stone>".encode())
    with pytest.raises(Invalid, match="Wet must be true or false"):
        drafts.read(Stone, tree, creating=False)


@pytest.mark.parametrize("value", [False, 0, "0", "false", "", None])
def test_no_has_many_spellings(value: Any) -> None:
    assert read(wet=value) == {"wet": False}


@pytest.mark.parametrize("value", ["maybe", 2, [], {}, 1.0])
def test_other_values_are_refused(value: Any) -> None:
    assert sentences(wet=value) == ("Wet must be true or false",)


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("2007-01-15T08:13:09Z", datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)),
        ("2007-01-15t08:13:09.75z", datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)),
        ("2007-01-15T09:13:09+01:00", datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)),
        ("2007-01-15 08:13:09 UTC", datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)),
        ("2007/01/15 09:13:09 +0100", datetime(2007, 1, 15, 8, 13, 9, tzinfo=UTC)),
        (" 2007-01-15 ", datetime(2007, 1, 15, tzinfo=UTC)),
        ("", None),
        (None, None),
    ],
)
def test_times_are_read_with_or_without_offset(text: str | None, timestamp: datetime | None) -> None:
    assert read(found_at=text) == {"found_at": timestamp}


@pytest.mark.parametrize("value", ["soon", 5, [], "2007-13-01", "15/01/2007", "0001-01-01T00:00:00+05:00"])
def test_an_invalid_time_is_refused(value: Any) -> None:
    assert sentences(found_at=value) == ("Found at must be a date or a time such as 2007-01-15T08:13:09Z",)


def test_texts_are_kept_as_typed_and_numbers_become_texts() -> None:
    assert read(title="  a\r\n ", note=None) == {"title": "  a\r\n ", "note": None}
    assert read(title=5, note="") == {"title": "5", "note": ""}


@pytest.mark.parametrize("value", [[], {}, ["a"], True])
def test_a_value_that_is_no_text_is_refused(value: Any) -> None:
    assert sentences(title=value) == ("Title must be a string",)


@pytest.mark.parametrize("character", ["\0", "\x1b", "\ufffe", "\uffff", "\ud800"])
def test_a_character_that_cannot_be_stored_is_named(character: str) -> None:
    wrong = f"Title cannot contain the character U+{ord(character):04X} (position 3)"
    assert sentences(title=f"ab{character}") == (wrong,)


def test_texts_have_a_limit_in_bytes_and_some_in_characters() -> None:
    mebibyte = 2**20
    assert sentences(note="é" * (mebibyte // 2) + "a") == ("Note is too long (at most 1 MiB)",)
    assert len(read(note="é" * (mebibyte // 2))["note"]) == mebibyte // 2
    assert sentences(title="é" * 256) == ("Title is too long (at most 255 characters)",)


@pytest.mark.parametrize(("label", "verb"), [("Scopes", "are"), ("People", "are"), ("Address", "is")])
def test_the_verb_agrees_with_the_name_of_the_field(label: str, verb: str) -> None:
    with pytest.raises(Invalid, match=f"^{label} {verb} too long "):
        check_text(label, "x" * (2**20 + 1))


class Shelf(Record, frozen=True):
    """A record whose number has bounds and may be absent."""

    singular, plural = "shelf", "shelves"

    height: Annotated[int | None, writable, within(1, 5)] = None


@pytest.mark.parametrize(("sent", "taken"), [("1", 1), (5, 5), ("", None), (None, None)])
def test_numbers_within_their_bounds_are_taken(sent: Any, taken: Any) -> None:
    assert drafts.read(Shelf, {"shelf": {"height": sent}}, creating=True) == {"height": taken}


@pytest.mark.parametrize("sent", [0, "6", -(2**62)])
def test_numbers_out_of_their_bounds_are_refused(sent: Any) -> None:
    with pytest.raises(Invalid, match="Height must be a whole number from 1 to 5"):
        drafts.read(Shelf, {"shelf": {"height": sent}}, creating=False)


def test_a_required_text_may_not_be_blank_and_all_problems_are_told() -> None:
    assert sentences(title=" \n", owner_id="x", wet=9) == (
        "Title can't be blank",
        "Owner must be a whole number",
        "Wet must be true or false",
    )
    assert sentences(title=None) == ("Title can't be blank",)


@pytest.mark.parametrize("value", [[1, "2"], "[1, 2]", "1,2", " 1  2 "])
def test_lists_of_numbers_may_come_as_text(value: Any) -> None:
    assert read(friends_ids=value) == {"friends_ids": [1, 2]}
    assert read(friends_ids=None) == {"friends_ids": []}
    assert whole_numbers("Watchers", 7) == [7]


@pytest.mark.parametrize("value", [{"a": 1}, True, "1;2", ["one"]])
def test_an_invalid_list_of_numbers_is_refused(value: Any) -> None:
    assert sentences(friends_ids=value) == ("Friends must be a list of whole numbers",)


@pytest.mark.parametrize("value", ["1," * 100_001, [1] * 100_001, "1" * 1_048_577])
def test_lists_of_numbers_have_a_maximum_length(value: Any) -> None:
    [sentence] = sentences(friends_ids=value)
    assert "too " in sentence


def test_other_lists_and_their_texts_are_passed_on() -> None:
    assert read(changes=[["A", "/a"]]) == {"changes": [["A", "/a"]]}
    assert read(changes="- A /a") == {"changes": "- A /a"}
    assert read(changes=None) == {"changes": []}
    assert sentences(changes=[["A", {}]]) == ("Changes must be a list of strings or numbers",)
    assert sentences(changes=5) == ("Changes must be a list",)
    assert "U+0000" in sentences(changes=[["A", "\0"]])[0]


def test_a_parameter_stands_beside_the_root_or_inside_it() -> None:
    assert (
        drafts.extra_param({"ticket": {"title": "a"}, "multiple_watchers": "1"}, "multiple_watchers") == "1"
    )
    assert drafts.extra_param({"ticket": {"multiple_watchers": None}}, "multiple_watchers") is None
    assert drafts.extra_param({"ticket": {}}, "multiple_watchers") is UNSET


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(Stone.__struct_fields__)


@given(st.dictionaries(NAMES, VALUES), st.booleans())
@settings(deadline=None, max_examples=150)
def test_no_tree_raises_anything_but_a_client_error_and_drafts_can_be_written(
    members: Any, creating: bool
) -> None:
    try:
        draft = drafts.read(Stone, {"stone": members}, creating=creating)
    except SkerryError:
        return
    draft.pop("changes", None)
    assert json.item(Stone(**draft))
