"""Tasks in texts: who may change a text may say that a task in it is done, or not done after all."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from skerry.errors import Invalid, SerializationFailure
from skerry.store import changesets
from skerry.text import markdown
from skerry.tracker import rendering
from skerry.tracker.visit import Ask, Rendered, Visit
from skerry.wire.record import UNSET, Record

PARAMETERS = ("tick", "untick")
"""What says which task of a text is done, or not, by its number from 1."""

_BEFORE = "before"


R = TypeVar("R", bound=Record)


def foreseen(
    kind: type[R], field: str, body: Callable[[Visit, Ask], str]
) -> Callable[[Visit, Ask], Callable[[], Ask]]:
    """Return what puts the text with its task ticked into a draft, and renders it while others may write.

    The text is a field of a kind of record; ``body`` finds it as it stands. What is returned raises Invalid
    if there is no such task, and what ``body`` and ``rendering.rendered`` raise.
    """

    def look(visit: Visit, ask: Ask) -> Callable[[], Ask]:
        if not any(name in ask.beside for name in PARAMETERS):
            return lambda: ask
        draft = ask.draft_of(kind)
        number, done = _wanted(ask, has_text=draft.get(field) is not UNSET)
        before = body(visit, ask)
        # A box may be the name of a changeset, too.
        named = markdown.changeset_candidates(before) | {"x"}
        known = changesets.known(visit.transaction, visit.project_id, named)

        def work() -> Ask:
            after, html = _ticked(visit.project_id, before, (number, done), known)
            return replace(
                ask.drafting(draft.put(field, after)),
                beside={**ask.beside, _BEFORE: before},
                rendered={**ask.rendered, **html},
            )

        return work

    return look


def _wanted(ask: Ask, *, has_text: bool) -> tuple[int, bool]:
    found = [name for name in PARAMETERS if name in ask.beside]
    text = str(ask.beside[found[0]])
    if len(found) > 1 or has_text:
        raise Invalid("Send one of tick, untick and body, not several")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):  # noqa: PLR2004 - no text has so many
        raise Invalid(f"{found[0].capitalize()} must be the number of a task, from 1")
    return int(text), found[0] == "tick"


def _ticked(project_id: int, before: str, wanted: tuple[int, bool], known: set[str]) -> tuple[str, Rendered]:
    number, done = wanted
    after = markdown.ticked(before, number, done=done)
    if after is None:
        raise Invalid(f"There is no task {number} in this text")
    return after, rendering.rendered(project_id, after, markdown.changeset_candidates(after) & known)


def check(ask: Ask, body: str) -> None:
    """Raise SerializationFailure if the text was changed after its task was found.

    Then it is looked for again.
    """
    if ask.beside.get(_BEFORE, body) != body:
        raise SerializationFailure
