"""Splitting of texts into words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.words import MAX_WORD_LENGTH, OVERHEAD, ROOM, begins_words, kept, words

TEXTS = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crash on START", "crash on start"),
        ("Élan café cafe\u0301 naïve", "elan cafe cafe naive"),
        ("Straße STRASSE İstanbul", "strasse strasse istanbul"),
        ("\ufb01n \u24b6 x² ½ ™", "fin a x2 1 2 tm"),
        ("error 500, v1.2 2nd", "error 500 v1 2 2nd"),
        ("snake_case Foo::Bar", "snake case foo bar"),
        ("ada@example.org don't a-b /etc/x", "ada example org don t a b etc x"),
        ("東京タワー", "東 京 タ ワ ー"),
        ("PR東京v2", "pr 東 京 v2"),
        ("\u304b\u3099く", "が く"),
        ("서울에서", "서 울 에 서"),
        ("नमस्ते हिन्दी", "नमस्ते हिन्दी"),
        ("שָׁלוֹם مَرْحَبًا", "שלום مرحبا"),
        ("\u202eשלום\u202c co\u00adop", "שלום coop"),
        ("❤️ -- !!! _ \x00 \ud800", ""),
    ],
)
def test_a_text_is_cut_into_these_words(text, expected):
    assert words(text) == expected.split()


def test_a_long_word_counts_by_its_beginning():
    assert words("x" * 1000) == ["x" * MAX_WORD_LENGTH]
    assert words("é" * 1000) == ["e" * MAX_WORD_LENGTH]


@settings(deadline=None, max_examples=500)
@given(TEXTS)
def test_the_words_of_a_text_are_stable(text):
    assert words(" ".join(words(text))) == words(text)


@settings(deadline=None, max_examples=300)
@given(TEXTS, TEXTS)
def test_a_blank_separates_two_scripts(one, other):
    assert words(f"{one} {other}") == words(one) + words(other)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_case_does_not_count(text):
    assert words(text.casefold()) == words(text)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_words_hold_nothing_that_separates_them_or_that_a_database_reads(text):
    for word in words(text):
        assert 1 <= len(word) <= MAX_WORD_LENGTH
        assert not set(word) & set(" _'\"\\:*%&|!()<>\n\x00")


def test_one_letter_begins_too_many_words_unless_it_is_one_itself():
    assert [begins_words(word) for word in ("a", "é", "7", "ab", "東", "서")] == [
        *(False, False, False, True, True, True)
    ]


def test_words_without_room_are_left_out():
    fitting = ROOM // (4 + OVERHEAD)
    (title, body, comment), room = kept(["title", "word " * (fitting + 10), "more"])
    assert title == ["title"]
    assert len(body) == fitting - 2
    assert (comment, room) == ([], 0)
    assert kept(["a b", "", "c"])[0] == [["a", "b"], [], ["c"]]
