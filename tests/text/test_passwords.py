"""New passwords: those that are easy to guess are refused, others are not."""

from pathlib import Path

import pytest

from skerry.text import passwords

ADA = ("ada.slater@roofers.example", "Ada Slater")


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("aaaaaaaaaaaa", "repeats itself"),
        ("abcabcabcabc", "repeats itself"),
        ("roof!roof!roof", "repeats itself"),
        ("abcdefghijkl", "sequence"),
        ("987654321098", "sequence"),
        ("Qwertyuiop12", "sequence"),
        ("abcdef123456", "sequence"),
        ("ada.slater@roofers.example", "address or the name"),
        ("AdaSlater123", "address or the name"),
        ("slater-roofers-1", "address or the name"),
        ("Password2026!", "most common"),
        ("1q2w3e4r5t6y", "most common"),
        ("123456password", "most common"),
        ("Willkommen 2026", "most common"),
        ("letmeinletmein1", "repeats itself"),
        ("adminadmin12", "repeats itself"),
        ("abcd1234abcd1235", "sequence"),
        ("P@ssw0rd1234", "most common"),
        ("$unsh1ne2026", "most common"),
        ("michael12345", "one word"),
        ("Harbour12345", "one word"),
        ("ada.slater12", "address or the name"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_refused(password, said):
    assert said in passwords.problem(password, ADA)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse",
        "a shed full of rope",
        "Ada likes wet tiles",
        "x7Kq9mZt2LpW",
        "harbour-lantern-71",
        "correct horse battery",
        "harbour 7 lanterns",
        "9271-xx-4830",
        "winter71harbour",
        "日本語の長い文章です。雨漏り",
    ],
)
def test_other_passwords_are_not(password):
    assert passwords.problem(password, ADA) == ""


def test_a_short_or_missing_name_forbids_nothing():
    assert passwords.problem("abode of tiles", ("", "A")) == ""


def test_the_list_of_common_passwords_is_small_and_in_one_form():
    words = Path(passwords.__file__).with_name("common_passwords.txt").read_text()
    assert len(words) < 300_000
    assert words == words.casefold()
    assert words.split() == sorted(set(words.split()))
