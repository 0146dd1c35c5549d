"""Sealed texts: only their key reads them, and only where they were put."""

import pytest

from skerry.sealing.sealed_texts import Place, Unreadable, is_sealed, key_id, read_key, seal, unseal

KEY, OTHER = read_key("k" * 64), read_key("o" * 64)
HERE = Place("hooks", "secret", (1, 23))


@pytest.mark.parametrize("text", ["whsec_abc", "", "sealed:x", "Ü\0" * 1000])
def test_a_sealed_text_is_read_with_its_key_where_it_was_put(text):
    sealed = seal(KEY, text, HERE)
    assert is_sealed(sealed)
    assert key_id(sealed) == KEY.id
    assert not text or text not in sealed
    assert unseal({KEY.id: KEY}, sealed, HERE) == text
    assert seal(KEY, text, HERE) != sealed


@pytest.mark.parametrize(
    "elsewhere",
    [
        HERE._replace(row=(1, 24)),
        HERE._replace(row=(2, 23)),
        HERE._replace(row=(12, 3)),
        HERE._replace(column="old_secret"),
        HERE._replace(table="forges"),
    ],
)
def test_a_sealed_text_cannot_be_read_in_another_place(elsewhere):
    with pytest.raises(Unreadable, match=r"^A secret in \w+\.\w+ was changed or moved$"):
        unseal({KEY.id: KEY}, seal(KEY, "geheim", HERE), elsewhere)


def test_a_text_that_was_changed_cannot_be_read():
    sealed = seal(KEY, "geheim", HERE)
    last = "A" if sealed[-5] != "A" else "B"
    for changed in (sealed[:-5] + last + sealed[-4:], sealed[:-8], f"sealed:{KEY.id}:", f"sealed:{KEY.id}:*"):
        with pytest.raises(Unreadable):
            unseal({KEY.id: KEY}, changed, HERE)


def test_another_key_reads_nothing_and_is_told_apart():
    sealed = seal(KEY, "geheim", HERE)
    with pytest.raises(KeyError, match=KEY.id):
        unseal({OTHER.id: OTHER}, sealed, HERE)
    with pytest.raises(Unreadable):
        unseal({KEY.id: OTHER}, sealed, HERE)


@pytest.mark.parametrize("text", ["", "k" * 31, "k" * 40 + " ", "ü" * 40])
def test_a_key_that_is_short_or_not_plain_text_is_refused(text):
    with pytest.raises(ValueError, match="at least 32"):
        read_key(text)


def test_the_id_of_a_key_says_nothing_about_it():
    assert len({KEY.id, OTHER.id}) == 2
    assert KEY.id not in KEY.secret.hex()
