"""Words for projects in references to their tickets: ``roof#12`` or ``7-roof#12``, whose id decides."""

import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from skerry.text.references import ELSEWHERE, PROJECT
from skerry.text.slugs import permalink

# A word that means nothing else in Markdown, and does not begin with an id.
_PLAIN = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
IN_TEXT = re.compile(rf"({PROJECT})#[1-9][0-9]{{0,17}}(?!\w)")
"""Matches what might be the number of a ticket of another project."""
_NUMBERED = re.compile(r"([1-9][0-9]{0,17})-.*")
_LINK = re.compile(
    r'<a href="/projects/([1-9][0-9]{0,17})/tickets/[0-9]+" '
    rf'title="{ELSEWHERE}([\w-]+): ticket #[0-9]+"[^>]*>([^<]*)</a>'
)


class NamedProject(NamedTuple):
    """A project by its id, name and permalink."""

    id: int
    name: str
    permalink: str

    @property
    def words(self) -> set[str]:
        """Return the words that name the project unless another project has them too."""
        return {self.permalink, permalink(self.name)} - {""}


def named(text: str) -> Iterator[str]:
    """Yield each word in a text that might be that of a project, in lower case."""
    return (match[1].lower() for match in IN_TEXT.finditer(text))


def resolved(words: Iterable[str], projects: Iterable[NamedProject]) -> dict[str, int]:
    """Return the ids of the projects that words stand for; a word of several projects stands for none."""
    owners: dict[str, set[int]] = {}
    for project in projects:
        for word in project.words:
            owners.setdefault(word, set()).add(project.id)
        owners[str(project.id)] = {project.id}
    ids_by_word: dict[str, int] = {}
    for word in words:
        numbered = _NUMBERED.fullmatch(word)
        ids = owners.get(numbered[1], set()) if numbered else owners.get(word, set())
        if len(ids) == 1 and not word.isdecimal():
            ids_by_word[word] = min(ids)
    return ids_by_word


def word_of(project: NamedProject, projects: Iterable[NamedProject]) -> str:
    """Return the word for a project that none of the other projects has."""
    word = project.permalink
    is_taken = any(word in other.words for other in projects if other.id != project.id)
    if _PLAIN.fullmatch(word) and not is_taken:
        return word
    return f"{project.id}-{word if _PLAIN.fullmatch(word) else 'project'}"


def linked(html: str) -> dict[str, int]:
    """Return the projects to whose tickets the HTML of a text links, by their words."""
    if not has_links(html):
        return {}
    return {word.lower(): int(project_id) for project_id, word, _ in _LINK.findall(html)}


def has_links(html: str) -> bool:
    """Return whether the HTML of a text links to tickets of other projects."""
    return f'title="{ELSEWHERE}' in html


def unlinked(html: str, visible: Container[int]) -> str:
    """Return HTML in which references to tickets of other than the visible projects are plain text."""
    if not has_links(html):
        return html
    return _LINK.sub(lambda link: link[0] if int(link[1]) in visible else link[3], html)


def qualified_html(html: str, places: tuple[int, int], word: str, last: int) -> str:
    """Return the HTML of a text after ``markdown.qualified``; ``places`` are the old and the new project."""
    before, after = places

    def link(match: re.Match[str]) -> str:
        number, more = match[1], match[2]
        is_there = int(number) <= last
        project_id = before if is_there else after
        title = f"{ELSEWHERE}{word}: ticket #{number}" if is_there else f"Ticket #{number}"
        label = f"{word}#{number}" if is_there else f"#{number}"
        return f'<a href="/projects/{project_id}/tickets/{number}" title="{title}"{more}>{label}</a>'

    pattern = rf'<a href="/projects/{before}/tickets/([0-9]+)" title="Ticket #\1"([^>]*)>#\1</a>'
    return re.sub(pattern, link, html)
