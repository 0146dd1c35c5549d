"""Task boxes in texts: anybody who may change a text can tick and untick its tasks."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from skerry.errors import Invalid, SerializationFailure
from skerry.store import changesets
from skerry.text import markdown
from skerry.tracker.context import Context, KnownReferences, Params, Rendered
from skerry.tracker.texts import rendering
from skerry.wire.record import UNSET, Record

PARAMETERS = ("tick", "untick")
"""The parameters that tick or untick a task of a text by its number, from 1."""

_BEFORE = "before"


R = TypeVar("R", bound=Record)


def prepare(
    kind: type[R], field: str, body: Callable[[Context, Params], str]
) -> Callable[[Context, Params], Callable[[], Params]]:
    """Return a function that adds the text with its task ticked to a draft, rendered without a lock.

    The text is a field of a record class; ``body`` returns its present value. The function raises Invalid if
    there is no such task, and as ``body`` and ``rendering.rendered`` do.
    """

    def look(context: Context, params: Params) -> Callable[[], Params]:
        if not any(name in params.extra_params for name in PARAMETERS):
            return lambda: params
        draft = params.draft_of(kind)
        number, done = _wanted(params, has_text=draft.get(field) is not UNSET)
        before = body(context, params)
        known = rendering.known_here(context, before)
        # ``[x]`` may also be the revision of a changeset.
        boxes = changesets.known(context.transaction, context.project_id, {"x"})
        known = known._replace(changesets=known.changesets | boxes)

        def work() -> Params:
            after, html = _ticked(context.project_id, before, (number, done), known)
            return replace(
                params.drafting(draft.put(field, after)),
                extra_params={**params.extra_params, _BEFORE: before},
                rendered={**params.rendered, **html},
            )

        return work

    return look


def _wanted(params: Params, *, has_text: bool) -> tuple[int, bool]:
    names = [name for name in PARAMETERS if name in params.extra_params]
    text = str(params.extra_params[names[0]])
    if len(names) > 1 or has_text:
        raise Invalid("Send only one of tick, untick and body")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):  # noqa: PLR2004 - no text has so many
        raise Invalid(f"{names[0].capitalize()} must be the number of a task, from 1")
    return int(text), names[0] == "tick"


def _ticked(
    project_id: int, before: str, wanted: tuple[int, bool], known: KnownReferences
) -> tuple[str, Rendered]:
    number, done = wanted
    after = markdown.ticked(before, number, done=done)
    if after is None:
        raise Invalid(f"There is no task {number} in this text")
    named = known._replace(changesets=markdown.changeset_candidates(after) & known.changesets)
    return after, rendering.rendered(project_id, after, named)


def check(params: Params, body: str) -> None:
    """Raise SerializationFailure, which causes a retry, if the text has changed since its task was found."""
    if params.extra_params.get(_BEFORE, body) != body:
        raise SerializationFailure
