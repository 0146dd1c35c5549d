"""References to tickets of other projects: ``roof#12``."""

from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from skerry.prefixes import in_html, prefix_of
from skerry.store import projects as store
from skerry.store.ticket_rows import moved_texts, moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text import markdown, project_words
from skerry.text.commands import Name
from skerry.text.project_words import NamedProject
from skerry.tracker import access
from skerry.tracker.context import Context, ResultPage
from skerry.wire.record import Record, changed, written


def resolved(context: Context, words: Iterable[str]) -> dict[str, int]:
    """Return the projects visible to the caller that the words before ticket numbers stand for."""
    wanted = {*words} - {""}
    return project_words.resolved(wanted, _visible(context)) if wanted else {}


def places(context: Context, names: Collection[Name], present: Iterable[int] = ()) -> dict[Name, Place]:
    """Return the present places, in projects that the caller sees, of tickets named by word and number.

    The word is empty for the current project, where the tickets with the ``present`` numbers are. Not every
    place has a ticket.
    """
    words = {**resolved(context, (word for word, _ in names)), "": context.project_id}
    by_project: dict[int, list[Name]] = {}
    for name in sorted(names):
        if name[0] in words:
            by_project.setdefault(words[name[0]], []).append(name)
    here, visible, places = context.project_id, viewer_of(context), dict[Name, Place]()
    for project_id, some in sorted(by_project.items()):
        absent = {number for _, number in some} - (set(present) if project_id == here else set())
        moved = moved_tickets.moved(context.transaction, project_id, absent) if absent else {}
        there = {name: moved.get(name[1], Place(project_id, name[1])) for name in some}
        seen = {name: to for name, to in there.items() if to.project_id == here or to.project_id in visible}
        places |= seen
    return places


def words(context: Context, project_ids: Iterable[int]) -> dict[int, str]:
    """Return the words before the numbers of tickets of those projects that the caller sees.

    That of the current project, if any, is empty.
    """
    here = {context.project_id} if context.entered else set()
    others = {*project_ids} - here
    visible = _visible(context) if others else []
    words = {each.id: project_words.word_of(each, visible) for each in visible if each.id in others}
    return {**words, **dict.fromkeys(here, "")}


def qualified(context: Context, text: str) -> str:
    """Return a text of the current project that means the same in others."""
    last = store.last_number(context.transaction, context.project_id)
    return markdown.qualified(text, _word(context), last)


def keep_meaning(context: Context, project_id: int, numbers: Iterable[int]) -> None:
    """Rewrite the texts of tickets that were moved from the current project to another one.

    Their references to tickets keep their meaning. This is no edit.
    """
    here, word = context.project_id, _word(context)
    last = store.last_number(context.transaction, here)

    def change(text: str, html: str) -> tuple[str, str]:
        new_html = project_words.qualified_html(html, (here, project_id), word, last)
        return markdown.qualified(text, word, last), new_html

    moved_texts.rewrite(context.transaction, project_id, numbers, change, markdown.MAX_TEXT_LENGTH)


def _word(context: Context) -> str:
    project = context.project
    return project_words.word_of(
        NamedProject(context.project_id, project.name, project.permalink or ""), _visible(context)
    )


def _visible(context: Context) -> list[NamedProject]:
    return store.visible_names(context.transaction, access.visibility(context.principal))


def visible_ids(context: Context) -> frozenset[int]:
    """Return the ids of the projects whose references are links for the caller."""
    return frozenset(store.visible_ids(context.transaction, access.visibility(context.principal)))


def viewer_of(context: Context, base: str | None = None) -> "Viewer":
    """Return an object that shows texts as the caller may see them, below the request's base or another."""
    return Viewer(
        partial(visible_ids, context), prefix_of(context.transaction.base if base is None else base)
    )


class Viewer:
    """Replaces references to tickets of projects that the caller cannot see by plain text.

    Addresses that begin at the root of the service get its ``prefix``; pages get theirs as a whole.
    """

    def __init__(self, read_ids: Callable[[], Container[int]], prefix: str = "") -> None:
        """Create the object; the ids of the visible projects are read when a text has such a reference."""
        self._read_ids, self._prefix = read_ids, prefix
        self._ids: Container[int] | None = None

    def __contains__(self, project_id: object) -> bool:
        """Return whether the caller can see a project."""
        if self._ids is None:
            self._ids = self._read_ids()
        return project_id in self._ids

    def html(self, html: str) -> str:
        """Return the HTML of a text as the caller may see it."""
        return in_html(project_words.unlinked(html, self), self._prefix)

    def result(self, result: Any) -> Any:
        """Return a record, or a page of them, as the caller may see it; others are returned as they are."""
        if isinstance(result, ResultPage):
            if not any(self._changes(record) for record in result.records):
                return result
            return replace(result, records=[self.record(record) for record in result.records])
        return self.record(result) if isinstance(result, Record) else result

    def record(self, record: Record) -> Record:
        """Return a record as the caller may see it."""
        return self._shown(record) if self._changes(record) else record

    def _changes(self, record: Record) -> bool:
        return bool(self._prefix) or written(record, _has_references)

    def _shown(self, record: Record) -> Record:
        new: dict[str, object] = {}
        texts, lists = _parts(type(record))
        for name in texts:
            html = getattr(record, name)
            if isinstance(html, str) and (shown := self.html(html)) != html:
                new[name] = shown
        for name in lists:
            some = getattr(record, name)
            if isinstance(some, list):
                shown_ones = [self.record(each) if isinstance(each, Record) else each for each in some]
                if any(one is not each for one, each in zip(shown_ones, some, strict=True)):
                    new[name] = shown_ones
        return changed(record, **new) if new else record


def _has_references(record: Record) -> bool:
    """Return whether any HTML in a record has references to tickets of other projects."""
    texts, lists = _parts(type(record))
    html = (getattr(record, name) for name in texts)
    if any(isinstance(each, str) and project_words.has_links(each) for each in html):
        return True
    inside = (each for name in lists if isinstance(some := getattr(record, name), list) for each in some)
    return any(isinstance(each, Record) and _has_references(each) for each in inside)


@cache
def _parts(kind: type[Record]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the fields of a record that hold HTML, and of those that hold other records."""
    names = kind.__struct_fields__
    texts = tuple(name for name in names if name.endswith("_html"))
    return texts, tuple(name for name in names if name in ("versions", "comments"))
