"""What a form says that its reader saw, so that nobody writes over what they have not read."""

import hashlib
from typing import Any

from skerry.errors import Stale

CHANGED_MEANWHILE = "Somebody changed this while you were writing; what it says now is shown below"


def mark(*values: Any) -> str:
    """Give a short text that differs when any of some values does."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def check(seen: str, present: str) -> None:
    """Raise Stale if what somebody saw is not what is there now."""
    if seen != present:
        raise Stale(CHANGED_MEANWHILE)
