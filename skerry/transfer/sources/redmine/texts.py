"""Redmine's texts as Markdown, with a report about what is different."""

from collections.abc import Callable

from skerry.text.markup import redmine, textile
from skerry.text.markup.redmine_links import Names
from skerry.text.markup.writing import no_name
from skerry.transfer.sources.redmine.known import Known
from skerry.transfer.sources.report import Report

MARKUPS = {"textile": textile.markdown, "markdown": redmine.markdown}
"""The markups that a Redmine may have, each with what turns it into Markdown."""

_TOLD = {
    "words": "{n} {link|links} in texts to pages, sources, commits and the like {is|are} words",
    "old": "{n} {link|links} in texts {leads|lead} to the old tracker",
    "notes": "{n} {reference|references} in texts to the number of a note {is|are} words",
    "files": "{n} {link|links} in texts to files that are not attached to the issue; their names stay",
    "pictures": "{n} {picture|pictures} in texts whose files the issue does not have; their names stay",
    "macros": "{n} {macro|macros} in texts {stays|stay} as {it is|they are}",
    "small": "{n} {sign|signs} of small letters in texts, such as ^2^, {stays|stay} as {it is|they are}",
    "styles": "{n} {colour or style|colours and styles} of texts",
    "texts": "{n} {text|texts} too long or nested too deeply, of which a part stays as it is",
}


class Texts:
    """Converts the texts of one Redmine, which all have the same markup."""

    def __init__(self, markup: str, known: Known, address: str, report: Report) -> None:
        """Create a converter; ``address`` is that of Redmine, or empty."""
        self._convert, self._known, self._address, self.report = MARKUPS[markup], known, address, report
        self._versions = {number: version.name for number, version in known.versions.items() if version.name}

    def markdown(self, text: str, home: str, place: str, file: Callable[[str], str] = no_name) -> str:
        """Return a text as Markdown; ``home`` is what Redmine calls the project, ``place`` where it is."""
        names = Names(file, self._known.logins, self._versions, self._address, home)
        written = self._convert(text, names)
        for kind, count in names.told.items():
            told = self.report.lose if kind == "styles" else self.report.change
            told(_TOLD[kind], place, count)
        return written
