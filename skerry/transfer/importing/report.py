"""The report of an import: counts, and sentences about what was changed or omitted."""

from collections import Counter
from dataclasses import dataclass, field

from skerry.text.characters import printable
from skerry.text.numbers import counted

ASSIGNEES = "{n} {assignee is|assignees are} unknown and {was|were} removed"
AUTHORS = "{n} {author is|authors are} unknown and now called Unknown"
WATCHERS = "{n} {watcher is|watchers are} unknown and {was|were} left out"
MILESTONES = (
    "{n} {milestone of a ticket does|milestones of tickets do} not exist in the project "
    "and {was|were} removed"
)
STATES = (
    "{n} {ticket or version has a state|tickets or versions have states} that the project does not have, "
    "and {keeps it|keep them}"
)
STATE_NAMES = (
    "{n} {name|names} of states had characters that a state cannot have, or too many, and {was|were} changed"
)
LONG_TITLES = "{n} {title was|titles were} longer than 255 characters; {it ends|they end} earlier now"
LICENSES = "{n} {license was|licenses were} longer than 255 characters; {it ends|they end} earlier now"
NAMES = (
    "{n} {name of a person|names of people} had no or too many characters that can be shown, and "
    "{was|were} changed"
)
WEBSITES = "{n} {website|websites} of people {is|are} not valid and {was|were} left out"
UNKNOWN_ROLES = "{n} {role does|roles do} not exist here and {was|were} left out"
JOINED = (
    "{n} {person joined|people joined} before 1970 or in the future; {that time was|those times were} "
    "replaced"
)
MEMBERS = (
    "{n} {membership is|memberships are} of nobody known, or {is|are} there twice, and {was|were} left out"
)
DEFAULT_BINS = "{n} default {bin is|bins are} of nobody known, or one of several, and {was|were} left out"
OLD_ASSIGNEES = "{n} earlier {assignee is|assignees are} unknown and {was|were} removed from the history"
POSITIONS = "{n} {position of a bin was|positions of bins were} out of range and {is|are} replaced"
FILE_NAMES = "{n} {file has a name|files have names} that cannot be used here, and {got another|got others}"
INVISIBLE_TAGS = "{n} {tag|tags} without a visible character {was|were} left out"
BLANK_TITLES = "{n} blank {title is|titles are} now Untitled"
TAGS = "{n} {list|lists} of tags {was|were} too long and {was|were} shortened"
IMPORTANCE = (
    "{n} {importance was not a number|importances were not numbers} from 0 to 2147483647 and {is|are} now 0"
)
TIMESTAMPS = "{n} {time was|times were} missing, before 1970 or in the future and {was|were} replaced"
UPDATED = (
    "{n} {ticket was|tickets were} last changed before {its|their} newest version; "
    "{it now has the time of that version|they now have the times of those versions}"
)
FILES_MISSING = "{n} attached {file is|files are} not in the archive and {was|were} left out"
FILES_UNLISTED = "{n} {file beside a ticket is|files beside tickets are} not attached and {was|were} left out"
LINKS = (
    "{n} {link is not valid or leads to a ticket that is|links are not valid or lead to tickets that are} "
    "not here, and {was|were} left out"
)
REVISIONS = (
    "{n} {changeset has an invalid revision|changesets have invalid revisions} and {was|were} left out"
)
CHANGES = (
    "{n} {changeset has an unreadable list|changesets have unreadable lists} of files, "
    "which {is|are} now empty"
)
CUT_CHANGES = (
    "{n} {changeset has a code|changesets have codes} "
    "without a path, as where the earlier tracker cut off a list "
    "of files, and {it was|they were} left out"
)
BINS = "{n} {bin has an invalid query|bins have invalid queries} and {was|were} left out"
LAYOUTS = "{n} {bin has|bins have} columns, a group or an order that is not known, and {lost|lost} them"
TEMPLATES = (
    "{n} {template of tickets has|templates of tickets have} no name, the name of another one, or {is|are} "
    "one too many, and {was|were} left out"
)
PICTURES = "{n} {picture|pictures} of people {is|are} not valid and {was|were} left out"
STATE_TEXTS = (
    "{n} {project has unreadable states|projects have unreadable states} and now {has|have} "
    "those of a new project"
)
LEVEL_TEXTS = (
    "{n} {project has unreadable levels of importance|projects have unreadable levels of importance} and now "
    "{has|have} those that {its|their} tickets name"
)
DEFAULTS = (
    "{n} {project has a default assignee or milestone|projects have default assignees or milestones} "
    "that {does|do} not exist and {was|were} removed"
)
EMAILS = "{n} e-mail {address is|addresses are} not valid and {was|were} left out"
STRANGERS = "{n} {person|people} of the list {does|do} not occur in the imported part of the archive"
UNKNOWN_FILES = "{n} {file is|files are} of an unknown kind and {was|were} left out"
SILENT = "{n} {person was|people were} added who cannot sign in yet"
PLACEHOLDERS = (
    "{n} {person|people} without an address {was|were} added as {a placeholder|placeholders}, "
    "whom an administrator can give to {somebody|people}"
)
WAITING = "{n} {membership|memberships} of placeholders {waits|wait} until they are given to somebody"
ROLES_LEFT = "{n} {role of a person|roles of people} without an address {was|were} left out"
ROLES = "{n} {person|people} got a role in the account"

OTHER_PROJECTS = "other projects"


def unlinked(word: str) -> str:
    """Return the sentence about texts that name tickets of a project which is not here."""
    return (
        f"{{n}} {{text names|texts name}} tickets of {word}, not here or in this import, "
        "and {keeps the words|keep the words} without a link"
    )


EMPTY = "{n} {words} {is|are} null in the archive and {was|were} left out"

MOVED = "{n} {words} {has a new id, because the old one|have new ids, because the old ones} {was|were} taken"

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
"""The names of the objects in a project, by kind."""


@dataclass
class ImportReport:
    """The counts of an import, and its messages: ``news`` about projects, and ``told`` with counts.

    ``project_ids`` are the imported projects.
    """

    projects: int = 0
    tickets: int = 0
    versions: int = 0
    users: int = 0
    files: int = 0
    news: list[str] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    project_ids: list[int] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the news, and the sentences about changes with their counts, each in a line."""
        told = (f"{counted(sentence, count)}." for sentence, count in sorted(self.told.items()) if count)
        return [printable(line) for line in (*self.news, *told)]

    @property
    def counts(self) -> str:
        """Return what was imported, in numbers."""
        return (
            f"{counted('{n} {project|projects}', self.projects)}, "
            f"{counted('{n} {ticket|tickets}', self.tickets)} with "
            f"{counted('{n} {version|versions}', self.versions)}, "
            f"{counted('{n} {person|people}', self.users)} and {counted('{n} {file|files}', self.files)}."
        )
