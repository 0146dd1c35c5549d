"""What an import tells at its end: how much came, and what was changed or left out."""

from collections import Counter
from dataclasses import dataclass, field

from skerry.text.numbers import counted

ASSIGNEES = "{n} {time|times} the person responsible was nobody who is known; nobody is now"
AUTHORS = (
    "{n} {thing was|things were} made by nobody who is known; {it stands|they stand} under the name Unknown"
)
WATCHERS = "{n} {watcher was|watchers were} nobody who is known; {it was|they were} left out"
MILESTONES = "{n} {time|times} the milestone was none of the project; there is none now"
STATES = (
    "{n} {ticket or version is in a state that its|tickets or versions are in states that their} project "
    "does not have; {it keeps it|they keep them}"
)
BLANK_TITLES = "{n} {thing without a title is|things without a title are} called Untitled"
TAGS = "{n} {text of tags was too long; it has|texts of tags were too long; they have} fewer tags now"
IMPORTANCE = "{n} {time|times} the importance was no number from 0 to 9999; it is 0 now"
TIMESTAMPS = (
    "{n} {moment was|moments were} missing, before 1970 or still to come; "
    "{another stands in its|others stand in their} place"
)
UPDATED = (
    "{n} {ticket was|tickets were} changed last before {its|their} newest version; "
    "{it was|they were} changed with that now"
)
FILES_MISSING = "{n} attached {file is|files are} not in the archive; {it was|they were} left out"
FILES_UNLISTED = (
    "{n} {file stands beside a ticket that does not speak of it; it was"
    "|files stand beside tickets that do not speak of them; they were} left out"
)
REVISIONS = (
    "{n} {changeset has a revision|changesets have revisions} that cannot be kept; "
    "{it was|they were} left out"
)
CHANGES = (
    "{n} {changeset has a list of files that cannot be read; the list is"
    "|changesets have lists of files that cannot be read; the lists are} empty now"
)
BINS = (
    "{n} {bin has a query that is not understood here; it was"
    "|bins have queries that are not understood here; they were} left out"
)
PICTURES = "{n} {picture|pictures} of people cannot be used; {it was|they were} left out"
STATE_TEXTS = (
    "{n} {project has settings of states that cannot be read; it has"
    "|projects have settings of states that cannot be read; they have} those of a new project"
)
DEFAULTS = (
    "{n} {project|projects} gave new tickets to somebody, or a milestone, that is not there; "
    "{it does|they do} not now"
)
EMAILS = (
    "{n} e-mail {address of somebody|addresses of people} cannot be used; "
    "{whoever had it has|the people have} none"
)
STRANGERS = "{n} {person of the list is|people of the list are} not in what was read of the archive"
UNKNOWN_FILES = "{n} {file is|files are} none that an import knows; {it was|they were} left out"
SILENT = (
    "{n} {person was|people were} made who cannot sign in; whoever has no address here has a login such as "
)
ROLES = "{n} {person|people} got a role in the account"

EMPTY = "{n} {words} {is|are} null in the archive; {it was|they were} left out"

MOVED = "{n} {words} {has another id|have other ids} here, as {that in the archive was|theirs were} taken"

WORDS = {
    "tickets": "{ticket|tickets}",
    "versions": "{version|versions}",
    "attachments": "{attachment|attachments}",
    "milestones": "{milestone|milestones}",
    "messages": "{message|messages}",
    "changesets": "{changeset|changesets}",
    "bins": "{bin|bins}",
    "people": "{person|people}",
    "projects": "{project|projects}",
}
"""What the things are called that come with a project, by their kind."""


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
        """Return what is to be said about changes, each with its count."""
        return [counted(sentence, count) for sentence, count in sorted(self.told.items()) if count]
