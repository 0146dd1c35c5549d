"""Rendering of letters as messages: in the reader's language, as plain text and HTML."""

from datetime import datetime
from email.utils import format_datetime
from functools import cache, partial
from urllib.parse import urlsplit

from babel.dates import format_date, format_time
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from skerry import languages
from skerry.mail import mime, texts
from skerry.mail.mime import Named
from skerry.mail.texts import REPLY_LINE
from skerry.mail_settings import MailSettings
from skerry.text.characters import one_line
from skerry.text.time_zones import zone_named
from skerry.tracker.mail.letters import Letter
from skerry.tracker.mail.notification_mails import MailedTurn


def message(letter: Letter, recipient: str, settings: MailSettings, message_id: str, now: datetime) -> bytes:
    """Return a letter as a message; raises ValueError for an invalid address or header."""
    subject, text = _written(letter, "txt")
    html = _written(letter, "html")[1]
    host = urlsplit(letter.base).hostname or "localhost"
    service = settings.sender.display_name or "Skerry"
    sender = f"{letter.actor} ({service})" if letter.actor else service
    headers: dict[str, str | Named] = {
        "From": (one_line(sender), settings.sender.addr_spec),
        "To": (one_line(letter.reader.name), recipient),
        "Date": format_datetime(now),
        "Message-ID": f"<{message_id}@{host}>",
        "Auto-Submitted": "auto-generated",
        **letter.headers,
    }
    return mime.message(headers, one_line(subject), text, html).as_bytes()


@cache
def _environment(language: str, form: str) -> Environment:
    """Return the template environment of a language and a form; only HTML is escaped."""
    made = Environment(
        loader=PackageLoader("skerry.mail"),
        autoescape=form == "html",  # noqa: S701 - plain text needs no escapes
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    # The extension adds this method to the environment at run time.
    made.install_gettext_translations(languages.catalogue(language), newstyle=True)  # type: ignore[attr-defined]
    made.filters.update(
        when=_when,
        said=languages.translator(language),
        html=_html,
        shortened=texts.shortened,
        excerpt=texts.excerpt_of,
    )
    return made


@pass_context
def _html(context: Context, turn: MailedTurn) -> Markup:
    """Return the text of a turn as HTML for a mail."""
    return Markup(texts.for_mail(turn.html, turn.text, context["letter"].values["told"].url))  # noqa: S704 - stored clean


_time = partial(format_time, format="short")


@pass_context
def _when(context: Context, timestamp: datetime) -> str:
    """Format a time in the time zone and the language of the reader."""
    local = timestamp.astimezone(zone_named(context["letter"].reader.time_zone))
    day, time = (write(local, locale=context["language"]) for write in (format_date, _time))
    return f"{day}, {time} {local.tzname()}"


def _written(letter: Letter, form: str) -> tuple[str, str]:
    """Return the subject and the body of a letter in one form, ``txt`` or ``html``."""
    language = letter.reader.language if letter.reader.language in languages.LANGUAGES else languages.ENGLISH
    written = (
        _environment(language, form)
        .get_template(f"{letter.template}.jinja")
        .render(
            letter.values,
            layout=f"layout.{form}",
            parts=f"parts.{form}",
            letter=letter,
            language=language,
            reply_line=REPLY_LINE,
        )
    )
    # The first line is the subject, as plain text in both forms.
    subject, _, body = written.lstrip().partition("\n")
    return subject, body.strip() + "\n"
