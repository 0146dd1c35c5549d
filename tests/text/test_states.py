from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.states import (
    CLOSED_DEFAULT,
    OPEN_DEFAULT,
    StateDefinition,
    States,
    StatesError,
    read_states,
    spellable,
)


def defaults() -> States:
    return States(OPEN_DEFAULT, CLOSED_DEFAULT)


def test_the_default_texts_hold_the_usual_five_states() -> None:
    states = defaults()
    assert states.names == ("new", "open", "resolved", "hold", "invalid")
    assert states.open == (
        StateDefinition("new", "ff1177", closed=False),
        StateDefinition("open", "aaaaaa", closed=False),
    )
    assert states.closed[0] == states.first_closed == StateDefinition("resolved", "66aa00", closed=True)
    assert (states.open_list, states.closed_list) == ("new,open", "resolved,hold,invalid")


def test_a_state_is_found_in_any_case_and_given_as_spelt() -> None:
    states = States("New/fff", "Wont-Fix/000")
    assert states.find("NEW") == StateDefinition("New", "ffffff", closed=False)
    assert states.find("wont-fix") == states.first_closed
    assert states.find("gone") is None


@pytest.mark.parametrize(
    ("open_text", "closed_text", "name"),
    [
        ("open/fff\nnew/fff", "done/000", "new"),
        ("first/fff\nsecond/fff", "done/000", "first"),
        ("first/fff", "new/000", "first"),
    ],
)
def test_a_new_ticket_is_new_if_that_is_open_else_in_the_first_open_state(
    open_text: str, closed_text: str, name: str
) -> None:
    assert States(open_text, closed_text).default.name == name


def test_blank_lines_comments_and_any_line_end_are_fine() -> None:
    states = States("# ours\r\n\r\n needs-more-info / ABCDEF # x # y\rready_for.dev/012\n", "done/000")
    assert [(state.name, state.color) for state in states.open] == [
        ("needs-more-info", "abcdef"),
        ("ready_for.dev", "001122"),
    ]


@pytest.mark.parametrize("name", ["नया", "เปิดใหม่", "புதிய", "q\u0308"])
def test_vowels_and_accents_that_are_marks_belong_to_a_name(name: str) -> None:
    states = States(f"{name}/fff", "done/000")
    assert states.names == (name, "done")
    assert spellable(name) == name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("on hold", "on-hold"),
        ("a / b,c", "a-b-c"),
        ("cafe\u0301", "café"),
        ("\u2714\ufe0f Done", "-Done"),
        ("1\ufe0f\u20e3 First", "1-First"),
        ("?", "-"),
        ("x" * 60, "x" * 50),
    ],
)
def test_a_name_from_elsewhere_gets_dashes_for_what_no_name_has(written: str, name: str) -> None:
    assert spellable(written) == name


@pytest.mark.parametrize(
    ("open_text", "closed_text", "sentence"),
    [
        ("new", "done/000", "Open states line 1: write a name, a slash and 3 or 6 hex digits"),
        ("new/fff\nold/ffff", "done/000", "Open states line 2: write a name"),
        ("new/fff\n\n/fff", "done/000", "Open states line 3: write a name"),
        ("two words/fff", "done/000", "Open states line 1: write a name"),
        ("new,old/fff", "done/000", "Open states line 1: write a name"),
        ("new\u200b/fff", "done/000", "Open states line 1: write a name"),
        ("new\ufe0f/fff", "done/000", "Open states line 1: write a name"),
        ("\u0301/fff", "done/000", "Open states line 1: write a name"),
        ("new-\u0301/fff", "done/000", "Open states line 1: write a name"),
        ("new/#fff", "done/000", "Open states line 1: write a name"),
        ("new/fff", "done/٠٠٠", "Closed states line 1: write a name"),
        ("new/fff\nNew/000", "done/000", "Open states line 2: New is listed twice"),
        ("new/fff", "done/000\nNEW/000", "Closed states line 2: NEW is listed twice"),
        ("x" * 51 + "/fff", "done/000", "Open states line 1: the name is too long"),
        ("", "done/000", "Open states must name at least one state"),
        ("new/fff", "# none\n", "Closed states must name at least one state"),
        ("#" * 10_001, "done/000", "Open states are too long"),
    ],
)
def test_an_invalid_list_of_states_is_refused_with_the_line(
    open_text: str, closed_text: str, sentence: str
) -> None:
    with pytest.raises(StatesError, match=sentence.replace("(", r"\(")):
        States(open_text, closed_text)


def test_the_same_texts_are_read_once() -> None:
    assert read_states(OPEN_DEFAULT, CLOSED_DEFAULT) is read_states(OPEN_DEFAULT, CLOSED_DEFAULT)


@given(st.text(alphabet="aB/fF0#\n\r \u0130\ufffe-.") | st.text())
@settings(deadline=None)
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    with suppress(StatesError):
        states = States(text, "done-here/000")
        assert all(states.find(state.name.upper()) for state in states.open if state.name.isascii())
        assert states.default in states.open
