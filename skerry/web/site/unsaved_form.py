"""The content of a form that could not be saved, which the error page offers to resend."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from falcon.asgi import Request

from skerry.errors import Forbidden
from skerry.web.request_state import RequestState
from skerry.web.requests import bodies, drafting
from skerry.web.requests.bodies import Receiver
from skerry.web.site import browser

WORDS = (
    "body",
    "closed_states",
    "command",
    "description",
    "goals",
    "job",
    "license",
    "name",
    "note",
    "open_states",
    "query",
    "tag",
    "title",
    "website",
)
"""The fields that contain text; all others are resent invisibly."""

MAX = 1 << 20
"""How many characters are shown again: larger pages are expensive, and strangers could request them."""


@dataclass(frozen=True)
class UnsavedForm:
    """The fields of a form: those with text, each with its subject, and all others.

    ``files`` says whether the form accepts files.
    """

    words: list[tuple[str, str, str]]
    others: list[tuple[str, str]]
    files: bool


async def of(state: RequestState, receiver: Receiver) -> UnsavedForm | None:
    """Return the fields of a form.

    Returns None for a form of another site, with a password, too large, or without text.
    """
    with suppress(Forbidden):
        browser.check_origin(state.request, frozenset())
        await drafting.recover(state, receiver)
        return _sorted(state)
    return None


def _sorted(state: RequestState) -> UnsavedForm | None:
    hidden_fields = {name: value for name, value in state.hidden_fields.items() if name != "_csrf"}
    fields, room = [], MAX
    for name, value in _flat({**(state.tree or {}), **hidden_fields}):
        # Each name contains its parents' names, so a small but deep document would become a huge form.
        room -= len(name) + len(value)
        if room < 0 or "password" in name:
            return None
        fields.append((name, value))
    words = [(_last(name), name, value) for name, value in fields if _last(name) in WORDS and value.strip()]
    if not words:
        return None
    shown = {name for _, name, _ in words}
    files = bodies.media_type(state.request) == bodies.MULTIPART
    return UnsavedForm(words, [pair for pair in fields if pair[0] not in shown], files)


def _flat(value: object, *steps: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a form from its tree, including empty ones."""
    if value and isinstance(value, dict):
        for step, inside in value.items():
            yield from _flat(inside, *steps, step)
    elif value and isinstance(value, list):
        for inside in value:
            yield from _flat(inside, *steps, "")
    else:
        yield "".join([*steps[:1], *(f"[{step}]" for step in steps[1:])]), str(value)


def _last(name: str) -> str:
    return name.removesuffix("]").rpartition("[")[2]


def has_words(request: Request) -> bool:
    """Return whether the form in a request has text."""
    return getattr(request.context, "unsaved_form", None) is not None
