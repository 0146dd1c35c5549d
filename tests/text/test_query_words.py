"""Words of a query that match nothing or too much."""

import pytest

from skerry.text.queries.query import MAX_PREFIXES, parse
from skerry.text.queries.query_tree import Phrase, QueryError, Word


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("!!!", "'!!!' at 1 contains no letter or digit to search for"),
        ("crash '--'", "'--' at 7 contains no letter or digit to search for"),
        ("title:(a,?)", "'?' at 10 contains no letter or digit to search for"),
        ("c*", "The * at 1 must follow at least two letters or digits"),
        ("title:snake_c*", "The * at 7 must follow at least two letters or digits"),
        ("_*", "'_' at 1 contains no letter or digit to search for"),
    ],
)
def test_a_word_that_matches_nothing_or_too_much_is_refused_with_its_position(text, sentence):
    with pytest.raises(QueryError) as refusal:
        parse(text)
    assert str(refusal.value) == sentence


def test_one_character_is_enough_where_characters_are_words():
    assert parse("東*").condition == Word("東", prefix=True)


def test_quotes_keep_a_star_from_being_a_prefix():
    assert parse("'c*'").condition == Phrase("c*")


def test_a_query_has_a_limited_number_of_prefixes():
    enough = " ".join(f"w{number}*" for number in range(MAX_PREFIXES - 2))
    assert parse(f"{enough} -(title:ab* OR keyword:cd*)")
    with pytest.raises(QueryError, match=r"More than 8 words with a \* at 55"):
        parse(f"{enough} -(title:ab* OR keyword:cd* OR ef*)")
