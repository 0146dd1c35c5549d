"""The state of background sending."""

from datetime import datetime
from typing import Annotated, ClassVar

from skerry.wire.record import Record, writable


class Sending(Record, frozen=True):
    """Whether hooks and mail of the account are sent, or held until an administrator resumes sending.

    It is ``paused`` after a restore, since ``paused_at``.
    """

    singular: ClassVar[str] = "sending"
    plural: ClassVar[str] = "sending"

    paused: Annotated[bool, writable] = False
    paused_at: datetime | None = None
