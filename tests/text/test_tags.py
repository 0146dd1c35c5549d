import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.tags import read_tags, write_tags

TAGGISH = st.text(alphabet="aBé9 -_@!'.:#+/\"\t,ßİ가\u0301\ufe0f❤$", max_size=40) | st.text(max_size=40)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("rails3 beta4 inflections,", ("rails3 beta4 inflections",)),
        ("activesupport,patch,", ("activesupport", "patch")),
        ("activesupport patch", ("activesupport", "patch")),
        ('roof "high priority" Leak', ("roof", "high priority", "leak")),
        ("'two words' it's", ("two words", "it's")),
        ('foo"bar baz"', ("foo", "bar baz")),
        ('"never closed', ("never", "closed")),
        ("b a B", ("b", "a")),
        (
            "2.3.x :joins db:create hash#to_xml c++ a/b",
            ("2.3.x", ":joins", "db:create", "hash#to_xml", "c++", "a/b"),
        ),
        ("Größe, 屋根, हिन्दी", ("größe", "屋根", "हिन्दी")),
        ("a$b, <b>, ❤️", ("ab", "b")),
        (" , ,, ", ()),
        ("", ()),
    ],
)
def test_a_text_contains_tags(text: str, tags: tuple[str, ...]) -> None:
    assert read_tags(text) == tags


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        (["action_view", "actionpack"], "actionpack action_view"),
        (["b c", "a", "a"], 'a "b c"'),
        ([], None),
    ],
)
def test_tags_are_written_in_order_as_if_in_capitals(tags: list[str], text: str | None) -> None:
    assert write_tags(tags) == text


def test_letters_composed_in_two_ways_are_one_tag() -> None:
    assert read_tags("cafe\u0301 caf\u00e9") == ("caf\u00e9",)


@given(TAGGISH)
@settings(deadline=None, max_examples=300)
def test_written_tags_are_read_back_as_the_same_set(text: str) -> None:
    tags = read_tags(text)
    assert set(read_tags(write_tags(tags) or "")) == set(tags)


@given(TAGGISH)
@settings(deadline=None)
def test_each_tag_is_already_in_normal_form(text: str) -> None:
    for tag in read_tags(text):
        assert read_tags(f"{tag},") == (tag,)


def test_a_tag_of_a_hundred_characters_is_accepted_and_a_longer_one_is_refused() -> None:
    assert read_tags("x" * 100) == ("x" * 100,)
    with pytest.raises(ValueError, match=r"^Tag is too long \(at most 100 characters each\)$"):
        read_tags("x" * 101)


def test_a_hundred_tags_are_accepted_and_more_are_refused() -> None:
    hundred = " ".join(f"t{number}" for number in range(100))
    assert len(read_tags(hundred)) == 100
    with pytest.raises(ValueError, match=r"^Too many tags \(at most 100\)$"):
        read_tags(f"{hundred} more")
