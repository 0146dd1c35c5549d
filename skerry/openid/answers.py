"""Answers of providers, apart from how they are asked: who somebody is, or why that is not proved."""

from dataclasses import dataclass


class ProviderDown(Exception):
    """The provider does not respond, or responds with nothing usable; the message is for operators."""


class Refused(Exception):
    """The provider's answer does not prove who somebody is; the message is for operators."""


class NotAgain(Refused):
    """The provider does not say that the person gave their password again."""


@dataclass(frozen=True)
class Answer:
    """Who somebody is at a provider.

    ``email`` is empty unless the provider has verified it. ``since`` is the time at which they gave their
    password there, 0 if the provider does not say.
    """

    subject: str
    email: str = ""
    name: str = ""
    groups: tuple[str, ...] = ()
    id_token: str = ""
    since: int = 0
