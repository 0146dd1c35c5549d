"""Details in an export beside the resources, which an import needs and the API does not show.

Times are in microseconds since 1970 in UTC; in the resources themselves they are in whole seconds.
"""

from skerry.wire.record import Record


class ExportDetails(Record, frozen=True):
    """The description of an export: the version of its format, the program, the account, and the time."""

    form: int = 1
    program: str = ""
    account: str = ""
    made_at: int = 0


class UserDetails(Record, frozen=True):
    """A person's login and role in the account; the role is empty for people without one.

    ``key`` is the name by which the tracker that they come from knows them.
    """

    created_at: int | None = None
    email: str = ""
    key: str = ""
    role: str = ""


class ProjectDetails(Record, frozen=True):
    """The timestamps of a project, and the highest ticket number that it ever had."""

    created_at: int | None = None
    updated_at: int | None = None
    last_number: int = 0


class MilestoneDetails(Record, frozen=True):
    """The creator of a milestone, and its timestamps."""

    completed_at: int | None = None
    created_at: int | None = None
    id: int = 0
    updated_at: int | None = None
    user_id: int | None = None


class BinDetails(Record, frozen=True):
    """The timestamps of a bin, and the people whose default bin it is."""

    created_at: int | None = None
    default_for: list[int] = []
    id: int = 0
    updated_at: int | None = None


class MessageTextDetails(Record, frozen=True):
    """The text of a message before an edit, whose number is the id."""

    body: str = ""
    created_at: int | None = None
    id: int = 0
    user_id: int | None = None


class VersionTextDetails(MessageTextDetails, frozen=True):
    """The text of a version before an edit."""

    version: int | None = None


class MessageDetails(Record, frozen=True):
    """The times and the edits of a message and of its comments."""

    body_edited_at: int | None = None
    body_edits: int = 0
    comments: list["MessageDetails"] = []
    created_at: int | None = None
    id: int = 0
    earlier_texts: list[MessageTextDetails] = []
    updated_at: int | None = None


class ChangesetDetails(Record, frozen=True):
    """The timestamps of a changeset: when it was committed, and when it was reported."""

    changed_at: int | None = None
    created_at: int | None = None
    revision: str = ""


class VersionDetails(Record, frozen=True):
    """The timestamps of a version, the edits of its text, and what was left out of it."""

    body_edited_at: int | None = None
    body_edits: int = 0
    created_at: int | None = None
    quoted_body: str | None = None
    updated_at: int | None = None
    version: int = 0


class AttachmentDetails(Record, frozen=True):
    """The version that an attachment belongs to, its time, and its file name beside the ticket."""

    created_at: int | None = None
    file: str = ""
    id: int = 0
    version: int | None = None


class PlaceDetails(Record, frozen=True):
    """A former address of a ticket."""

    number: int = 0
    project_id: int = 0


class LinkDetails(Record, frozen=True):
    """A link of a ticket, with the versions of both tickets that added and removed it."""

    added_in: int = 0
    kind: str = ""
    other_added_in: int = 0
    other_number: int = 0
    other_project_id: int = 0
    other_removed_in: int | None = None
    removed_in: int | None = None


class TicketDetails(Record, frozen=True):
    """The timestamps of a ticket, the highest number that its versions ever had, and their details.

    ``earlier_texts`` are those of all versions, ``moved_from`` its former addresses, the first one first.
    Each link is that of one of its tickets.
    """

    attachments: list[AttachmentDetails] = []
    created_at: int | None = None
    last_version: int = 0
    earlier_texts: list[VersionTextDetails] = []
    links: list[LinkDetails] = []
    moved_from: list[PlaceDetails] = []
    updated_at: int | None = None
    versions: list[VersionDetails] = []
