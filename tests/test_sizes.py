"""Sizes in words."""

import pytest

from skerry import sizes


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (100 * 2**20, "100 MiB"),
        (2**20, "1 MiB"),
        (1536 * 2**10, "1536 KiB"),
        (2**30, "1 GiB"),
        (50_000_000, "50 MB"),
        (10**12, "1000 GB"),
        (1000, "1 kB"),
        (1001, "1001 bytes"),
        (1, "1 byte"),
        (2, "2 bytes"),
        (2**20 + 1, "1048577 bytes"),
    ],
)
def test_a_limit_is_shown_in_the_unit_in_which_it_is_round(count, said):
    assert sizes.exact(count) == said


@pytest.mark.parametrize(
    ("count", "number", "unit"),
    [
        (0, 0, "{0} bytes"),
        (1023, 1023, "{0} bytes"),
        (1536, 1.5, "{0} KiB"),
        (2**20, 1, "{0} MiB"),
        (5 * 2**40, 5120, "{0} GiB"),
    ],
)
def test_a_size_is_rounded_in_the_largest_unit_that_it_fills(count, number, unit):
    assert sizes.rounded(count) == (number, unit)
