"""Answers: what a provider says about somebody, apart from how it is asked."""

from dataclasses import dataclass


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
