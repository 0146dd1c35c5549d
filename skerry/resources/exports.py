"""Details in an export beside the resources, which an import needs and the interface does not show.

Times are in microseconds since 1970 in UTC; in the resources themselves they are in whole seconds.
"""

from skerry.wire.record import Record


class ExportDetails(Record, frozen=True):
    """What an export is: the number of its form, the program that wrote it, the account, and when."""

    form: int = 1
    program: str = ""
    account: str = ""
    made_at: int = 0


class UserDetails(Record, frozen=True):
    """A person's login and role in the account; the role is empty for people who have none."""

    created_at: int | None = None
    email: str = ""
    role: str = ""


class ProjectDetails(Record, frozen=True):
    """The moments of a project, and the highest number that a ticket of it ever had."""

    created_at: int | None = None
    updated_at: int | None = None
    last_number: int = 0


class MilestoneDetails(Record, frozen=True):
    """Who set a milestone, and its moments."""

    completed_at: int | None = None
    created_at: int | None = None
    id: int = 0
    updated_at: int | None = None
    user_id: int | None = None


class BinDetails(Record, frozen=True):
    """The moments of a bin, and whose first bin of the project it is."""

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
    """The moments of a changeset: when it was committed, and when it was reported."""

    changed_at: int | None = None
    created_at: int | None = None
    revision: str = ""


class VersionDetails(Record, frozen=True):
    """The moments of a version."""

    created_at: int | None = None
    updated_at: int | None = None
    version: int = 0


class AttachmentDetails(Record, frozen=True):
    """With which version a file came, when, and the name under which it stands beside its ticket."""

    created_at: int | None = None
    file: str = ""
    id: int = 0
    version: int | None = None


class TicketDetails(Record, frozen=True):
    """The times of a ticket, the highest number that its versions ever had, and details of each version."""

    attachments: list[AttachmentDetails] = []
    created_at: int | None = None
    last_version: int = 0
    updated_at: int | None = None
    versions: list[VersionDetails] = []
