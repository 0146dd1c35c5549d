"""What an import tells at its end: how much came, and what was changed or left out."""

from collections import Counter
from dataclasses import dataclass, field

ASSIGNEES = "{n} times the person responsible was nobody who is known; nobody is now"
AUTHORS = "{n} things were made by nobody who is known; they stand under the name Unknown"
WATCHERS = "{n} watchers were nobody who is known; they were left out"
MILESTONES = "{n} times the milestone was none of the project; there is none now"
STATES = "{n} tickets or versions are in states that their project does not have; they keep them"
BLANK_TITLES = "{n} things without a title are called Untitled"
TAGS = "{n} texts of tags were too long; they have fewer tags now"
IMPORTANCE = "{n} times the importance was no number from 0 to 9999; it is 0 now"
MOMENTS = "{n} moments were missing, before 1970 or still to come; others stand in their place"
FILES_MISSING = "{n} attached files are not in the archive; they were left out"
FILES_UNLISTED = "{n} files stand beside tickets that do not speak of them; they were left out"
REVISIONS = "{n} changesets have revisions that cannot be kept; they were left out"
CHANGES = "{n} changesets have lists of files that cannot be read; the lists are empty now"
BINS = "{n} bins have queries that are not understood here; they were left out"
PICTURES = "{n} pictures of people cannot be used; they were left out"
STATE_TEXTS = "{n} projects have settings of states that cannot be read; they have those of a new project"
DEFAULTS = "{n} projects gave new tickets to somebody, or a milestone, that is not there; they do not now"
EMAILS = "{n} e-mail addresses of people cannot be used; the people have none"
STRANGERS = "{n} people of the list are not in what was read of the archive"
UNKNOWN_FILES = "{n} files are none that an import knows; they were left out"
SILENT = "{n} people were made who cannot sign in; those without an address here have logins such as "
ROLES = "{n} people got a role in the account"


@dataclass
class Report:
    """How much came, and sentences: ``news`` of projects, ``told`` with counts, by the sentence."""

    projects: int = 0
    tickets: int = 0
    versions: int = 0
    users: int = 0
    files: int = 0
    news: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)

    def sentences(self) -> list[str]:
        """Give what is to be said about changes, each with its count."""
        return [sentence.format(n=count) for sentence, count in sorted(self.told.items()) if count]
