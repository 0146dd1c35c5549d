"""The languages of pages and mail: a catalogue for each file of translations."""

import io
import re
from collections.abc import Callable, Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ENGLISH = "en"
LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages by their codes, each in its own name."""


_VALUE = re.compile(r"\{\d\}")
_MAX_LENGTH = 1000


@cache
def catalogues() -> Mapping[str, bytes]:
    """Return the contents of the translation files, by language code."""
    folder = resources.files("skerry").joinpath("web", "locale")
    files = [file for file in folder.iterdir() if file.name.endswith(".po")]
    return {file.name.removesuffix(".po"): file.read_bytes() for file in files}


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the translations for a language; English is the language of the sources."""
    if language == ENGLISH:
        return NullTranslations()
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(catalogues()[language]), locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)


@cache
def translator(language: str) -> Callable[[str], str]:
    """Return the translation function of a language.

    In the catalogue, sentences with values are patterns, with {0} and {1} for the values.
    """
    known, patterns = catalogue(language), _patterns(language)

    def translate(sentence: str) -> str:
        translated = known.gettext(sentence) if sentence else ""
        if translated != sentence or len(sentence) > _MAX_LENGTH:
            return translated
        for pattern, translation in patterns:
            match = pattern.fullmatch(sentence)
            if match:
                return translation.format(*(translate(value) for value in match.groups()))
        return sentence

    return translate


def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the sentences with values, the most specific first."""
    messages = getattr(catalogue(language), "_catalog", {})
    pairs = [
        (source, translate)
        for source, translate in messages.items()
        if isinstance(source, str) and "{0}" in source
    ]
    pairs.sort(key=lambda pair: -len(_VALUE.sub("", pair[0])))
    return [
        (re.compile("(.+?)".join(map(re.escape, _VALUE.split(source))), re.DOTALL), translate)
        for source, translate in pairs
    ]


def language_of(chosen: str | None, accepted: str | None) -> str:
    """Return the chosen language, or the one that the browser prefers."""
    if chosen in LANGUAGES:
        return str(chosen)
    liked = sorted(_wishes(accepted or ""), key=lambda wish: -wish[1])
    return next((code for code, quality in liked if quality > 0 and code in LANGUAGES), ENGLISH)


def _wishes(accepted: str) -> list[tuple[str, float]]:
    wishes: list[tuple[str, float]] = []
    for piece in accepted.split(",")[:20]:
        tag, _, parameter = piece.partition(";")
        name, _, value = parameter.partition("=")
        code = tag.strip().lower().partition("-")[0]
        try:
            wishes.append((code, float(value) if name.strip() == "q" else 1.0))
        except ValueError:
            continue
    return wishes
