"""The catalogue: complete in every language, and sentences with values in them are found."""

import re

import pytest
from babel.messages.pofile import read_po

from skerry import languages
from skerry.files.folder import Folder
from tests.support.forms import file
from tests.web.test_attachments import attach, attached, keys, path_of
from tools import translations

OTHERS = sorted(set(languages.LANGUAGES) - {languages.ENGLISH})


@pytest.fixture(params=OTHERS)
def catalogue(request):
    with (translations.CATALOGUES / f"{request.param}.po").open("rb") as source:
        return read_po(source, locale=request.param)


def test_every_sentence_is_translated(catalogue):
    missing = []
    for message in translations.template():
        found = catalogue.get(message.id) if message.id else message
        if message.id and (found is None or not all(found.string or [""]) or found.fuzzy):
            missing.append(message.id)
    assert missing == [], "python tools/translations.py adds them to the catalogue"


def test_no_translation_loses_a_value(catalogue):
    values = re.compile(r"%\(\w+\)s|\{\d\}")
    for message in catalogue:
        if message.id:
            source = message.id if isinstance(message.id, str) else message.id[-1]
            said = message.string if isinstance(message.string, str) else message.string[-1]
            assert sorted(values.findall(said)) == sorted(values.findall(source)), message.id


def test_plurals_are_chosen_by_a_number_and_not_by_its_text():
    # The first value decides between one and several; most languages cannot tell that by a text.
    plural = re.compile(r"{% trans ([^,%]+)(?:(?!endtrans).)*?{% pluralize %}", re.DOTALL)
    pages = [page.read_text() for page in (translations.SITE / "templates").iterdir()]
    counted = [first for page in pages for first in plural.findall(page)]
    assert len(counted) > 20
    assert [first for first in counted if re.search(r"\| (?!length)", first)] == []


def test_a_sentence_is_translated_with_its_values():
    said = languages.translator("de")
    assert said("Title can't be blank") == "Titel darf nicht leer sein"
    assert said("State is not one of new, open") == "Der Status ist keiner von new, open"


@pytest.mark.parametrize(
    ("size", "said"), [("100 MiB", "100 MiB"), ("1001 bytes", "1001 Byte"), ("1 byte", "1 Byte")]
)
def test_a_size_in_a_sentence_is_said_in_its_language(size, said):
    sentence = languages.translator("de")(f"The file a.txt is too large (at most {size})")
    assert sentence == f"Die Datei a.txt ist zu groß (höchstens {said})"


def test_an_unknown_sentence_is_not_translated():
    for sentence in ("", "Shiver me timbers", "x" * 5000, "{0}", "%s"):
        assert languages.translator("de")(sentence) == sentence


@pytest.mark.parametrize(
    ("chosen", "accepted", "expected"),
    [
        (None, None, "en"),
        ("de", "en", "de"),
        ("xx", "de", "de"),
        (None, "fr, de;q=0.5, en;q=0.4", "de"),
        (None, "de;q=0, en", "en"),
        (None, "de;q=x", "en"),
        (None, "de-CH", "de"),
        (None, ",;,;q=1", "en"),
    ],
)
def test_the_language_is_the_one_chosen_or_liked_most(chosen, accepted, expected):
    assert languages.language_of(chosen, accepted) == expected


def test_a_file_that_cannot_be_read_is_reported_in_the_readers_language(
    world, ada, roof, surfing, monkeypatch
):
    def away(*_what):
        raise OSError

    attach(ada, roof, file())
    path = path_of(attached(ada, roof)[0]).removesuffix("!")
    web = surfing(ada)
    web.cookies["skerry-language"] = "de"
    world.instance.blobs.remove(keys(world))
    assert "Die Datei ist nicht mehr da." in web.get(path).text
    monkeypatch.setattr(Folder, "piece", away)
    assert "Die Dateien sind gerade nicht zu erreichen" in web.get(path).text
