"""Accounts."""

from typing import Annotated

from skerry.resources.auth import OFF
from skerry.resources.held_texts import SHOW
from skerry.wire.record import Record, day, longest, required, writable


class Account(Record, frozen=True):
    """An account, whose people share its projects.

    ``base_url`` is the base URL of links in mail; if it is empty, the setting of the server is used.
    ``factors_from`` is the day, in UTC, from which everybody who signs in with a password needs a second
    factor.
    With ``single_sign_on``, members sign in with a provider: their passwords do not work, their tokens do.
    ``time_zone`` is the zone of the days of what several people share; if it is empty, they are in UTC.
    ``sign_up`` says who may sign up: ``off`` (nobody), ``approval`` (after an administrator) or ``open``.
    ``newcomers`` says what happens to texts by people who signed up: ``show``, or ``mark`` or ``hold`` until
    one is released.
    """

    singular, plural = "account", "accounts"
    decides_access = True

    base_url: Annotated[str, writable, longest(500)] = ""
    factors_from: Annotated[str | None, writable, day] = None
    name: Annotated[str, writable, required, longest(255)] = ""
    newcomers: Annotated[str, writable, longest(16)] = SHOW
    sign_up: Annotated[str, writable, longest(16)] = OFF
    single_sign_on: Annotated[bool, writable] = False
    time_zone: Annotated[str, writable, longest(64)] = ""
