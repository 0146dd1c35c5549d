"""Templates: one environment for each language, everything escaped, and the filters that pages use."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from babel.dates import format_date, format_datetime, format_skeleton, format_timedelta
from babel.numbers import format_decimal
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from skerry.web.site import parts, words

_MONTH_SECONDS = 30 * 86400
_ENDED = Markup("</time>")


@cache
def environment(language: str) -> Environment:
    """Give the environment whose templates speak one language."""
    made = Environment(
        loader=PackageLoader("skerry.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_translations(words.catalogue(language), newstyle=True)  # type: ignore[attr-defined]
    made.filters.update(
        when=_when,
        day=_day,
        short_day=_short_day,
        number=_number,
        initials=_initials,
        said=words.translator(language),
    )
    made.globals.update(static=static, languages=words.LANGUAGES)
    return made


def render(template: str, language: str, context: Mapping[str, Any]) -> bytes:
    """Give a page as bytes."""
    return environment(language).get_template(template).render(context).encode()


@cache
def static(name: str) -> str:
    """Give the address of a file of ours, which changes when the file does."""
    return f"/static/{name}?v={hashlib.sha256(parts.content(name)).hexdigest()[:12]}"


@pass_context
def _when(context: Context, moment: datetime | None) -> Markup:
    """Say how long ago something was, with the exact time in the reader's zone to be had by hovering."""
    if moment is None:
        return Markup()
    frame = context["frame"]
    language, zone = frame.reader.language, frame.reader.zone
    begun, day = _exact(moment, zone, language)
    passed = moment - datetime.now(UTC)
    if abs(passed.total_seconds()) < _MONTH_SECONDS:
        return begun + format_timedelta(passed, add_direction=True, locale=language) + _ENDED
    return begun + day + _ENDED


@lru_cache(maxsize=10_000)
def _exact(moment: datetime, zone: tzinfo, language: str) -> tuple[Markup, str]:
    """Say a moment as it is and its day, which takes long and is the same for every reader of a list."""
    exact = format_datetime(moment, "long", tzinfo=zone, locale=language)
    begun = Markup('<time datetime="{}" title="{}">').format(moment.isoformat(), exact)
    return begun, str(format_date(moment.astimezone(zone), "medium", locale=language))


@pass_context
def _day(context: Context, moment: datetime | date | None) -> Markup:
    """Say a day as the reader writes days."""
    if moment is None:
        return Markup()
    frame = context["frame"]
    if isinstance(moment, datetime):
        moment = moment.astimezone(frame.reader.zone).date()
    said = format_date(moment, "medium", locale=frame.reader.language)
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), said)


@pass_context
def _short_day(context: Context, day: date) -> str:
    """Say a day without its year, for places where there is little room."""
    return str(format_skeleton("MMMd", day, locale=context["frame"].reader.language))


@pass_context
def _number(context: Context, number: float) -> str:
    """Say a number as the reader writes numbers."""
    return _written(number, context["frame"].reader.language)


@lru_cache(maxsize=10_000)
def _written(number: float, language: str) -> str:
    return str(format_decimal(number, locale=language))


def _initials(name: str) -> str:
    """Give the first letters of the first and the last word of a name."""
    words_of = [word for word in name.split() if word[0].isalnum()]
    first_and_last = words_of[:1] + words_of[1:][-1:]
    return "".join(word[0] for word in first_and_last).upper()


def template_names() -> list[str]:
    """Give the names of all templates, for tests."""
    folder = resources.files("skerry.web").joinpath("templates")
    return sorted(file.name for file in folder.iterdir() if file.name.endswith(".html"))
