"""Mail subjects: titles of tickets, and commands."""

import re

from skerry.text.commands import MAX_BRACKET_LENGTH, commands_in_comment

MAX_TITLE_LENGTH = 255
UNTITLED = "No subject"

_PREFIX = re.compile(
    r"\s*(?:(?:re|aw|antw|sv|vs|fwd?|wg|tr|rv)\s*(?:\[\d{1,3}\])?\s*[:：]\s*)+", re.IGNORECASE
)
_BRACKET = re.compile(rf"\[[^\[\]]{{0,{MAX_BRACKET_LENGTH}}}:[^\[\]]{{0,{MAX_BRACKET_LENGTH}}}\]")


def title_and_text(subject: str, text: str) -> tuple[str, str]:
    """Return the title and the text of a ticket opened by mail.

    Commands in the subject are moved to the end of the text, where they take effect, unless the text has
    commands of its own.
    """
    brackets = "".join(found[0] for found in _BRACKET.finditer(subject) if commands_in_comment(found[0]))
    title = subject
    if brackets:
        title = _BRACKET.sub(lambda found: "" if commands_in_comment(found[0]) else found[0], subject)
    title = " ".join(_PREFIX.sub("", title, count=1).split())
    first_line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return (title or first_line or UNTITLED)[:MAX_TITLE_LENGTH], with_commands(text, subject, "")


def with_commands(text: str, subject: str, title: str) -> str:
    """Return a text followed by the commands in a mail's subject.

    Commands that are part of the ticket's title are omitted.
    """
    own = subject.replace(title, " ") if title else subject
    commands = [found[0] for found in _BRACKET.finditer(own) if commands_in_comment(found[0])]
    if len(commands) != 1 or commands_in_comment(text):
        return text
    return f"{text}\n\n{commands[0]}".strip()
