"""What interrupts queries: errors of the drivers, and time limits."""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from sqlalchemy.exc import DBAPIError

from skerry.errors import QueryTimeout, SerializationFailure, Unavailable


@dataclass(frozen=True)
class DriverErrors:
    """A reusable context manager that translates errors of a driver into the product's own.

    It has the driver's error classes of conflicts and interrupted statements. A ``damaged`` database raises
    exactly that class, not one of its subclasses.
    """

    operational: tuple[type[Exception], ...]
    colliding: tuple[type[Exception], ...]
    took_too_long: Callable[[BaseException | None], bool]
    damaged: type[Exception] | None = None

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Raise SerializationFailure or Unavailable for an error of the driver."""
        if isinstance(error, self.colliding):
            raise SerializationFailure from error
        if isinstance(error, (*self.operational, DBAPIError)) or type(error) is self.damaged:
            raise (QueryTimeout if self.took_too_long(error) else Unavailable) from error
