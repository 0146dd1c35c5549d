"""What can go wrong at a provider."""


class ProviderDown(Exception):
    """The provider does not respond, or responds with nothing usable; the message is for operators."""


class Refused(Exception):
    """The provider's answer does not prove who somebody is; the message is for operators."""


class NotAgain(Refused):
    """The provider does not say that the person gave their password again."""
