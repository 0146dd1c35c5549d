"""The content of a form that could not be saved, which a page offers to resend."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from falcon.asgi import Request

from skerry.errors import Forbidden
from skerry.web import bodies
from skerry.web.auth import browser
from skerry.web.bodies import Body, Receiver
from skerry.web.requests import drafting
from skerry.web.requests.drafting import Submission
from skerry.web.requests.parameters import RoutedRequest
from skerry.web.site.frame import frame_of

WORDS = (
    "body",
    "closed_states",
    "command",
    "description",
    "goals",
    "importance_levels",
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
    """The path that a form is sent to and its fields: those with text, each with its subject, and all others.

    ``files`` says whether the form accepts files.
    """

    action: str
    words: list[tuple[str, str, str]]
    others: list[tuple[str, str]]
    files: bool

    @property
    def encoded(self) -> str:
        """Return the form as a text, for ``decoded``."""
        fields = [(name, value) for _, name, value in self.words] + self.others
        return json.dumps((self.action, self.files, fields), ensure_ascii=False)


async def of(routed: RoutedRequest, receiver: Receiver, body: Body) -> UnsavedForm | None:
    """Return the fields of a form.

    Returns None for a form of another site, with a password, too large, or empty.
    """
    with suppress(Forbidden):
        browser.check_origin(routed.request, frozenset())
        return _sorted(routed.request, await drafting.entered(routed, receiver, body))
    return None


def _sorted(request: Request, entered: Submission) -> UnsavedForm | None:
    if not entered.tree:
        return None
    hidden_fields = {name: value for name, value in entered.hidden_fields.items() if name != "_csrf"}
    fields: list[tuple[str, str]] = []
    room = MAX
    for name, value in _flat({**entered.tree, **hidden_fields}):
        # Each name contains its parents' names, so a small but deep document would become a huge form.
        room -= len(name) + len(value)
        if room < 0 or "password" in name:
            return None
        fields.append((name, value))
    files = bodies.media_type(request) == bodies.MULTIPART
    return _made(frame_of(request).path, fields, files=files)


def _made(path: str, fields: Sequence[tuple[str, str]], *, files: bool) -> UnsavedForm:
    words = [(_last(name), name, value) for name, value in fields if _last(name) in WORDS and value.strip()]
    shown = {name for _, name, _ in words}
    others = [pair for pair in fields if pair[0] not in shown]
    # Two slashes would lead to another host.
    return UnsavedForm(f"/{path.lstrip('/')}", words, others, files)


def decoded(text: object) -> UnsavedForm | None:
    """Return a form that ``encoded`` wrote, or None for anything else."""
    with suppress(ValueError, TypeError, RecursionError):
        path, files, fields = json.loads(str(text))
        return _made(str(path), [(str(name), str(value)) for name, value in fields], files=bool(files))
    return None


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


def in_request(request: Request) -> UnsavedForm | None:
    """Return the form in a request that was refused, if there is one."""
    return getattr(request.context, "unsaved_form", None)
