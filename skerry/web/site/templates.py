"""Templates: one environment for each language, with autoescaping, and the filters of the pages."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from functools import cache, lru_cache
from threading import Lock
from urllib.parse import quote

from babel.dates import TIMEDELTA_UNITS, format_date, format_datetime, format_skeleton, format_timedelta
from babel.numbers import format_decimal
from babel.units import format_unit
from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from skerry import languages, sizes
from skerry.prefixes import in_html
from skerry.resources.tickets import Attachment
from skerry.text import mentions
from skerry.text.characters import one_line
from skerry.text.commands import COMMANDS
from skerry.text.queries.query_print import quoted
from skerry.text.tags import read_tags
from skerry.tracker import edit_conflicts
from skerry.web.site import assets, pictures
from skerry.web.site.translation import TranslatingEnvironment
from skerry.wire import budget

_MONTH_SECONDS = 30 * 86400
_WEEKS_SECONDS = 25 * 86400
_MAX_OF_A_UNIT = 0.85
_SHORT = 100
_CODE = re.compile(r"`([^`]+)`")
_AGO = re.compile(r"^vor | ago$")

CODE = "Code block"
"""The label of code in a text, for screen readers."""

_MAKING = Lock()


def environment(language: str) -> Environment:
    """Return the template environment of one language, shared by all threads."""
    with _MAKING:
        return _environment(language)


@cache
def _environment(language: str) -> Environment:
    made = TranslatingEnvironment(languages.catalogue(language))
    made.filters.update(
        when=_when,
        age=_age,
        lasting=_lasting,
        day=_day,
        short_day=_short_day,
        number=_number,
        size=_size,
        initials=_initials,
        said=languages.translator(language),
        tags=_tags,
        tagged=_tagged,
        urlencode=_addressed,
        coded=_coded,
        beside=pictures.beside,
        prose=_prose,
        has_boxes=pictures.has_boxes,
        bdi=_isolated,
        one_line=_in_one_line,
        unmarked=budget.unmarked,
    )
    made.globals.update(
        static=static,
        languages=languages.LANGUAGES,
        changed_meanwhile=edit_conflicts.CHANGED_MEANWHILE,
        known_commands=tuple(COMMANDS.values()),
    )
    return made


def _in_one_line(html: Markup) -> Markup:
    """Return escaped texts in one line, without the marks that would reverse the rest of it."""
    return Markup(one_line(str(html)))  # noqa: S704 - escaped already


def _isolated(text: object) -> Markup:
    """Return a one-line text with its direction marks isolated from what follows."""
    return Markup(f"<bdi>{escape(text)}</bdi>")  # noqa: S704 - escaped


def render(template: str, language: str, context: Mapping[str, object], prefix: str) -> bytes:
    """Return a page as bytes, whose addresses begin with the prefix of the service.

    In all templates ``parts`` are the macros of ``parts.html``, which are made once for a page.
    """
    made = environment(language)
    parts = made.get_template("parts.html").make_module(dict(context))
    page = made.get_template(template).render(context, parts=parts)
    return in_html(page, prefix).encode()


@cache
def static(name: str) -> str:
    """Return the URL of a static file, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(assets.content(name)).hexdigest()[:12]}"


@pass_context
def _when(context: Context, timestamp: datetime | None) -> Markup:
    """Return the age of a time, with the exact time in the reader's zone as a tooltip."""
    if timestamp is None:
        return Markup()
    reader = context["frame"].reader
    begun, day = _exact(timestamp, reader.zone, reader.language)
    passed = timestamp - datetime.now(UTC)
    seconds = passed.days * 86400 + passed.seconds
    if abs(seconds) < _MONTH_SECONDS:
        return Markup(f"{begun}{_passed(_rounded(seconds), reader.language)}</time>")  # noqa: S704 - both escaped
    return day


@pass_context
def _lasting(context: Context, since: datetime) -> Markup:
    """Return how long something lasts since a time, as it follows "for"; the exact time is the tooltip."""
    reader, seconds = context["frame"].reader, (datetime.now(UTC) - since).total_seconds()
    begun, _ = _exact(since, reader.zone, reader.language)
    # As in "3 days ago", whose noun has the case that follows a preposition.
    ago = _passed(-_rounded(max(int(seconds), 1)), reader.language)
    return Markup("{}{}</time>").format(begun, _AGO.sub("", ago))


@pass_context
def _age(context: Context, timestamp: datetime | None) -> Markup:
    """Return the age of a time in a few letters, or its day after weeks; the exact time is the tooltip."""
    if timestamp is None:
        return Markup()
    reader, passed = context["frame"].reader, datetime.now(UTC) - timestamp
    begun, _ = _exact(timestamp, reader.zone, reader.language)
    seconds = passed.days * 86400 + passed.seconds
    if seconds < _WEEKS_SECONDS:
        said = _shortly(_rounded(seconds), reader.language)
    else:
        said = _month(_in_zone(timestamp, reader.zone).date(), datetime.now(UTC).year, reader.language)
    return Markup(f"{begun}{said}</time>")  # noqa: S704 - both escaped


@lru_cache(maxsize=1000)
def _shortly(seconds: int, language: str) -> Markup:
    return escape(format_timedelta(seconds, threshold=1, format="narrow", locale=language))


@lru_cache(maxsize=1000)
def _month(day: date, this_year: int, language: str) -> Markup:
    """Format a day without its year, or its month if it was in another year."""
    return escape(format_skeleton("MMMd" if day.year == this_year else "yMMM", day, locale=language))


@lru_cache(maxsize=10_000)
def _exact(timestamp: datetime, zone: tzinfo, language: str) -> tuple[Markup, Markup]:
    """Return the markup of a time and of a day, which is the same for every reader."""
    local = _in_zone(timestamp, zone)
    exact = format_datetime(local, "long", locale=language)
    begun = Markup('<time datetime="{}" title="{}">').format(timestamp.isoformat(), exact)
    return begun, Markup("{}{}</time>").format(begun, format_date(local, "medium", locale=language))


def _in_zone(timestamp: datetime, zone: tzinfo) -> datetime:
    """Return a time in a zone, or unchanged at the limits of the calendar."""
    try:
        return timestamp.astimezone(zone)
    except OverflowError:
        return timestamp


def _rounded(seconds: int) -> int:
    """Return seconds rounded to the unit that Babel would choose."""
    unit = next((unit for _, unit in TIMEDELTA_UNITS if abs(seconds) >= _MAX_OF_A_UNIT * unit), 1)
    return round(seconds / unit) * unit


@lru_cache(maxsize=1000)
def _passed(seconds: int, language: str) -> Markup:
    """Return the distance of a time from now, past or future, in words and whole units."""
    return escape(format_timedelta(seconds, threshold=1, add_direction=True, locale=language))


@pass_context
def _day(context: Context, timestamp: datetime | date | str | None) -> Markup:
    """Format a day for the reader; a text is in its ISO form."""
    if not timestamp:
        return Markup()
    if isinstance(timestamp, str):
        timestamp = date.fromisoformat(timestamp)
    reader = context["frame"].reader
    if isinstance(timestamp, datetime):
        timestamp = _in_zone(timestamp, reader.zone).date()
    return _written_day(timestamp, reader.language)


@lru_cache(maxsize=1000)
def _written_day(day: date, language: str) -> Markup:
    said = format_date(day, "medium", locale=language)
    return Markup('<time datetime="{}">{}</time>').format(day.isoformat(), said)


@pass_context
def _short_day(context: Context, day: date) -> str:
    """Format a day without its year."""
    return str(format_skeleton("MMMd", day, locale=context["frame"].reader.language))


@pass_context
def _number(context: Context, number: float) -> str:
    """Format a number for the reader."""
    return _written(number, context["frame"].reader.language)


@lru_cache(maxsize=10_000)
def _written(number: float, language: str) -> str:
    return str(format_decimal(number, locale=language))


@pass_context
def _size(context: Context, count: int) -> str:
    """Format a rounded number of bytes for the reader."""
    number, unit = sizes.rounded(count)
    language = context["frame"].reader.language
    if unit == sizes.BYTES:
        return format_unit(count, "digital-byte", locale=language)
    return unit.format(format_decimal(number, "#,##0.#", locale=language))


@pass_context
def _prose(context: Context, html: str, form: str = "", files: Sequence[Attachment] = ()) -> Markup:
    """Return a stored text, with the ``files`` that came with it, for a page.

    Its task boxes submit the form with the given id.
    """
    frame = context["frame"]
    html = pictures.placed(frame.viewer.html(html), files)
    shown = pictures.named(html if frame.sees_others else mentions.unlinked(html), frame.info.base)
    shown = _scrollable(pictures.with_headings_in_order(shown), frame.reader.language)
    return Markup(pictures.with_boxes(shown, form) if form else shown)  # noqa: S704 - stored clean


def _scrollable(html: str, language: str) -> str:
    """Return a text in which wide code can be scrolled with the keyboard."""
    label = escape(languages.translator(language)(CODE))
    return html.replace("<pre>", f'<pre tabindex="0" role="group" aria-label="{label}">')


def _initials(name: str) -> str:
    """Return the first letters of the first and the last word of a name."""
    words_of = [word for word in name.split() if word[0].isalnum()]
    first_and_last = words_of[:1] + words_of[1:][-1:]
    return "".join(word[0] for word in first_and_last).upper()


@lru_cache(maxsize=1000)
def _tags(text: str) -> tuple[str, ...]:
    """Return the tags of a ticket."""
    return tuple(read_tags(text))


@lru_cache(maxsize=1000)
def _tagged(tag: str) -> str:
    """Return the query for all tickets with a tag."""
    return f"tagged:{quoted(tag)}"


def _addressed(text: str) -> str:
    """Return a text quoted for a URL; short texts are cached, because most recur often."""
    return _quoted(text) if len(text) <= _SHORT else quote(text)


_quoted = lru_cache(maxsize=10_000)(quote)


def _coded(sentence: str) -> Markup:
    """Return a sentence with the text between backquotes as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704 - it was escaped before
