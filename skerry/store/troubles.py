"""What becomes of the errors that the driver of a database raises."""

from types import TracebackType

from sqlalchemy.exc import DBAPIError

from skerry.errors import Collision, Unavailable


class Troubles:
    """A context that turns what a driver raises into the product's own errors; it can be entered again."""

    def __init__(self, operational: tuple[type[Exception], ...], integrity: type[Exception]) -> None:
        """Know the driver's errors."""
        self._operational = (*operational, DBAPIError)
        self._integrity = integrity

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Raise Collision or Unavailable for an error of the driver."""
        if isinstance(error, self._integrity):
            raise Collision from error
        if isinstance(error, self._operational):
            raise Unavailable from error
