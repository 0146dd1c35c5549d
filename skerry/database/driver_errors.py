"""Translation of database driver errors into the product's own."""

from collections.abc import Callable
from types import TracebackType

from sqlalchemy.exc import DBAPIError

from skerry.errors import QueryTimeout, SerializationFailure, Unavailable


class DriverErrors:
    """A reusable context manager that translates errors of a driver into the product's own."""

    def __init__(
        self,
        operational: tuple[type[Exception], ...],
        colliding: tuple[type[Exception], ...],
        took_too_long: Callable[[BaseException | None], bool],
        damaged: type[Exception] | None = None,
    ) -> None:
        """Create a translator for the driver's error classes of conflicts and interrupted statements.

        A ``damaged`` database raises exactly that class, not one of its subclasses.
        """
        self._operational = (*operational, DBAPIError)
        self._colliding = colliding
        self._took_too_long = took_too_long
        self._damaged = damaged

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Raise SerializationFailure or Unavailable for an error of the driver."""
        if isinstance(error, self._colliding):
            raise SerializationFailure from error
        if isinstance(error, self._operational) or type(error) is self._damaged:
            raise (QueryTimeout if self._took_too_long(error) else Unavailable) from error
