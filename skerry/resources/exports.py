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
    """A person's login and role in the account; the role is empty for people without one."""

    created_at: int | None = None
    email: str = ""
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


class MessageDetails(Record, frozen=True):
    """The times of a message and of its comments."""

    comments: list["MessageDetails"] = []
    created_at: int | None = None
    id: int = 0
    updated_at: int | None = None


class ChangesetDetails(Record, frozen=True):
    """The timestamps of a changeset: when it was committed, and when it was reported."""

    changed_at: int | None = None
    created_at: int | None = None
    revision: str = ""


class VersionDetails(Record, frozen=True):
    """The timestamps of a version."""

    created_at: int | None = None
    updated_at: int | None = None
    version: int = 0


class AttachmentDetails(Record, frozen=True):
    """The version that an attachment belongs to, its time, and its file name beside the ticket."""

    created_at: int | None = None
    file: str = ""
    id: int = 0
    version: int | None = None


class TicketDetails(Record, frozen=True):
    """The timestamps of a ticket, the highest number that its versions ever had, and their details."""

    attachments: list[AttachmentDetails] = []
    created_at: int | None = None
    last_version: int = 0
    updated_at: int | None = None
    versions: list[VersionDetails] = []
