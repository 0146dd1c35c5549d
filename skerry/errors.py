"""The errors that clients are told about.

Every layer raises these; only ``web/responses/answer.py`` knows their HTTP statuses. The messages are for
people: the field comes first, and they contain no secrets.
"""

from collections.abc import Iterable


def in_words(error: BaseException) -> str:
    """Return the first line of a driver's or the system's message, without its number."""
    said = str(error)
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return said.partition("\n")[0]


class SkerryError(Exception):
    """The base class of all errors that clients are told about, with one or more sentences."""

    default = "Something went wrong"

    def __init__(self, sentences: str | Iterable[str] = "") -> None:
        """Create the error with its sentences, by default that of the class."""
        if isinstance(sentences, str):
            sentences = [sentences or self.default]
        self.sentences = tuple(sentences)
        super().__init__("; ".join(self.sentences))


class BadRequest(SkerryError):
    """The request cannot be parsed at all."""

    default = "The request cannot be read"


class Unauthenticated(SkerryError):
    """The caller is not authenticated: credentials are missing or wrong."""

    default = "Sign in with a login and password, or with a token"


class Forbidden(SkerryError):
    """The caller may see the resource, but not do this with it."""

    default = "You may not do this"


class SignedOut(Forbidden):
    """The sender of a form was signed in when they opened it, but no longer is."""

    default = "You are no longer signed in"


class SignInAgain(Forbidden):
    """The change needs a caller who signed in a short time ago."""

    default = "It is more than an hour since you signed in. Sign in again to change this"


class FactorNeeded(SkerryError):
    """The account demands a second factor, and the caller has none."""

    default = "This account requires a second factor. Set one up in your profile first"


class StaleForm(Forbidden):
    """The form was opened before its reader signed in."""

    default = "You signed in again after this page was opened. Check it and send it again"


class NotFound(SkerryError):
    """The resource does not exist, or the caller may not know that it does."""

    default = "Nothing found here"


class MethodNotAllowed(SkerryError):
    """The path exists, but not with this method."""

    default = "This method is not available here"

    def __init__(self, allowed: Iterable[str]) -> None:
        """Create the error with the available methods, for the Allow header."""
        self.allowed = tuple(allowed)
        super().__init__(f"{self.default}; use {', '.join(self.allowed)}")


class NotAcceptable(SkerryError):
    """The requested format does not exist."""

    default = "The formats are .xml and .json"


class Conflict(SkerryError):
    """The change conflicts with the present state."""

    default = "This conflicts with the current state"


class SerializationFailure(Conflict):
    """A concurrent change of the same rows; the request can be retried."""

    default = "Somebody else changed the same thing at the same time; try again"


class PreconditionFailed(SkerryError):
    """The caller's copy is outdated."""

    default = "This has changed since you read it"


class Gone(SkerryError):
    """The resource existed, but is no longer kept."""

    default = "This is no longer kept"

    def __init__(self, sentence: str = "", oldest: int | None = None) -> None:
        """Create the error with the number of the oldest event kept, if the caller may know it."""
        self.oldest = oldest
        super().__init__(sentence)


class TooLarge(SkerryError):
    """The request is larger than the setting allows."""

    default = "The request is too large"


class RequestTimeout(SkerryError):
    """The rest of the request did not arrive in time."""

    default = "The request took too long to arrive"


class RangeNotSatisfiable(SkerryError):
    """The file does not have the requested range."""

    default = "The file has no such range"

    def __init__(self, size: int) -> None:
        """Create the error with the size of the file in bytes."""
        self.size = size
        super().__init__()


class UnsupportedMediaType(SkerryError):
    """The body's Content-Type is missing or not supported."""

    default = (
        "Content-Type must be application/json, application/xml, "
        "application/x-www-form-urlencoded or multipart/form-data"
    )


class Invalid(SkerryError):
    """The values cannot be saved; one sentence for each problem."""

    default = "This cannot be saved"


class Unchanged(Invalid):
    """A form has no change, so that there is nothing to save."""

    default = "Nothing changed"


class TooManyRequests(SkerryError):
    """The caller must wait."""

    default = "Too many requests"

    def __init__(self, sentence: str, retry_after: int) -> None:
        """Create the error with the number of seconds after which a retry makes sense."""
        self.retry_after = retry_after
        super().__init__(sentence)


class Unavailable(SkerryError):
    """The service cannot respond at the moment, for example because the database is down."""

    default = "The service is temporarily unavailable. Try again shortly"
    retry_after = 5

    @property
    def reason(self) -> str:
        """Return the first line of the driver's or the system's message; for operators only."""
        cause = getattr(self.__cause__, "orig", self.__cause__) or self
        return in_words(cause)


class QueryTimeout(Unavailable):
    """The query was cancelled after its time limit."""

    default = "This search takes too long. Narrow it down"


class SecretUnreadable(Unavailable):
    """A stored secret cannot be decrypted: its key is missing, or it was changed."""

    default = (
        "The key of stored secrets is missing on this server. Whoever runs it must set it again; "
        "'skerry check' says more"
    )
    changed = "A stored secret was changed outside of Skerry, and cannot be read. Make a new one"
