"""Mail subjects: titles of tickets, and commands."""

import re

from skerry.text.actions import MAX_BRACKET_LENGTH, commands_in_comment
from skerry.text.rendered_html import shortened
from skerry.visibility import is_visible

MAX_TITLE_LENGTH = 255
UNTITLED = "No subject"

_PREFIX = re.compile(
    r"\s*(?:(?:re|aw|antw|sv|vs|fwd?|wg|tr|rv)\s*(?:\[\d{1,3}\])?\s*[:：]\s*)+", re.IGNORECASE
)
_BRACKET = re.compile(rf"\[[^\[\]]{{0,{MAX_BRACKET_LENGTH}}}:[^\[\]]{{0,{MAX_BRACKET_LENGTH}}}\]")


def opening(subject: str, text: str) -> tuple[str, str]:
    """Return the title and the text of a ticket opened by mail.

    The title is the subject without commands, or the first line. If the subject is too long for a title, the
    text begins with all of it.
    """
    words = _BRACKET.sub(lambda found: "" if commands_in_comment(found[0]) else found[0], subject)
    words = " ".join(_PREFIX.sub("", words, count=1).split())
    if len(words) > MAX_TITLE_LENGTH:
        text = f"{words}\n\n{text}".rstrip()
    lines = (" ".join(line.split()) for line in (words, *text.splitlines()))
    title = next(filter(is_visible, lines), UNTITLED)
    return title if len(title) <= MAX_TITLE_LENGTH else shortened(title, MAX_TITLE_LENGTH - 1), text


def command_of(subject: str, commands: str, title: str) -> str:
    """Return the bracket of commands in a mail's subject; empty if there is none, or the text has commands.

    Commands that are part of the ticket's title are omitted.
    """
    own = subject.replace(title, " ") if title else subject
    commands_found = [each[0] for each in _BRACKET.finditer(own) if commands_in_comment(each[0])]
    return commands_found[0] if len(commands_found) == 1 and not commands_in_comment(commands) else ""
