import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.slugs import leading_number, permalink


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Roof leaks", "roof-leaks"),
        ("Version 1.1.0", "version-110"),
        (":a => b", "a-b"),
        ("böse Überraschung", "bse-berraschung"),
        ("time_zone_aware -- attributes", "time_zone_aware-attributes"),
        ("  tabs\tand\nlines  ", "tabs-and-lines"),
        ("- !dash! -", "dash"),
        ("屋根", ""),
        ("", ""),
    ],
)
def test_a_title_has_a_readable_slug(title: str, slug: str) -> None:
    assert permalink(title) == slug


@given(st.text())
@settings(deadline=None)
def test_every_slug_is_words_joined_by_single_hyphens_and_its_own_slug(title: str) -> None:
    slug = permalink(title)
    assert re.fullmatch(r"(?:[a-z0-9_]+(?:-[a-z0-9_]+)*)?", slug)
    assert permalink(slug) == slug


@pytest.mark.parametrize(
    ("segment", "number"),
    [
        ("12-roof", 12),
        ("12", 12),
        ("12-", 12),
        ("9" * 18, 999_999_999_999_999_999),
        ("9" * 19, None),
        ("roof", None),
        ("12x", None),
        ("12 -x", None),
        ("-12", None),
        ("0", None),
        ("0-roof", None),
        ("١٢", None),
        ("12\n", None),
        ("", None),
    ],
)
def test_digits_before_a_slug_decide(segment: str, number: int | None) -> None:
    assert leading_number(segment) == number


@given(st.integers(1, 10**18 - 1), st.text())
@settings(deadline=None)
def test_a_number_is_found_before_any_slug(number: int, tail: str) -> None:
    assert leading_number(f"{number}-{tail}") == number
