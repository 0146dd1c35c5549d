"""References of the texts of an archive to projects, and former addresses of moved tickets."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from skerry.database.database import Database
from skerry.store.ticket_rows import moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text import markdown, project_words
from skerry.text.project_words import NamedProject
from skerry.transfer.importing import report as say
from skerry.transfer.importing.references import References

_MAX_WORDS = 20
"""The maximum number of words of unknown projects that the report names."""


@dataclass
class ProjectReferences:
    """The projects of the archive that are here or will be, by their ids there, and all names here, by id.

    ``told`` counts the texts that name tickets of projects which are not here. They keep their words, because
    no others would mean the same.
    """

    here: Mapping[int, int]
    names: Mapping[int, NamedProject]
    told: Counter[str]
    _unlinked: set[str] = field(default_factory=set)
    _words: dict[tuple[str, int], str] = field(default_factory=dict)

    def rewritten(self, text: str, *htmls: str | None) -> tuple[str, dict[str, int]]:
        """Return a text that means the same here, and the projects that its words stand for.

        The HTML of the archive shows what the words stand for there; texts without links stay as they are.
        """
        linked = {word: there for html in htmls for word, there in project_words.linked(html or "").items()}
        ids = {word: self.here[there] for word, there in linked.items() if there in self.here}
        new = {word: self._word(word, project_id) for word, project_id in ids.items()}
        replaced = {word: after for word, after in new.items() if after != word}
        return markdown.reworded(text, replaced), {new[word]: ids[word] for word in ids}

    def note_unlinked(self, text: str, html: str | None) -> None:
        """Count a text that names tickets of projects which are not here."""
        linked = project_words.linked(html or "")
        gone = {word for word, there in linked.items() if there not in self.here}
        for word in sorted(gone.intersection(project_words.named(text)) if gone else ()):
            if len(self._unlinked) < _MAX_WORDS:
                self._unlinked.add(word)
            self.told[say.unlinked(word if word in self._unlinked else say.OTHER_PROJECTS)] += 1

    def _word(self, word: str, project_id: int) -> str:
        """Return the word if it names a project, or else another word that does."""
        if (word, project_id) not in self._words:
            names = self.names.values()
            is_right = project_words.resolved([word], names).get(word) == project_id
            new = word if is_right else project_words.word_of(self.names[project_id], names)
            self._words[word, project_id] = new
        return self._words[word, project_id]


def restore_addresses(
    database: Database, account_id: int, imported: Mapping[int, References], here: Callable[[int], int | None]
) -> None:
    """Let the former addresses of imported tickets lead to them, as far as their projects are here.

    ``imported`` has the references of each new project, ``here`` returns the id here of a project of the
    archive.
    """
    by_project = defaultdict[int, list[tuple[int, Place, int]]](list)
    for project_id, references in imported.items():
        for place, number, step in references.moved:
            by_project[place.project_id].append((place.number, Place(project_id, number), step))
    for former, rows in sorted(by_project.items()):
        former_here = here(former)
        if former_here is not None:
            with database.write(account_id) as transaction:
                moved_tickets.restore(transaction, former_here, rows)
