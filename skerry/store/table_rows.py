"""The common statements of a table with ids: read, list, count, lock, insert, update and delete."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, FromClause, Table, and_, bindparam, delete, func, insert, select, update

from skerry.database.rows import Finish, Shape
from skerry.database.statements import Statement, in_account, is_same
from skerry.database.transactions import Transaction
from skerry.sealing.sealed_texts import Place
from skerry.store import sealed_columns
from skerry.store.counts import counters
from skerry.wire.record import Record

R = TypeVar("R", bound=Record)


class Rows(Generic[R]):
    """The rows of one table as records of one class.

    A row is named by the ``scope``, the column of its owner (a project or a person), and by its id. Each
    statement is bound to the account and to the owner. ``columns`` is the SQL of fields beside those of the
    table, ``source`` the table joined with what they need, and ``hidden`` are columns that are no fields.
    """

    def __init__(  # noqa: PLR0913 - one argument for each difference between tables
        self,
        kind: type[R],
        table: Table,
        *,
        scope: str = "project_id",
        columns: Mapping[str, ColumnElement[Any]] | None = None,
        hidden: Collection[str] = (),
        source: FromClause | None = None,
        order_by: Sequence[ColumnElement[Any]] = (),
        changes: Sequence[str] = (),
        resets: Mapping[str, Any] | None = None,
        finish: Finish | None = None,
        sealed: Sequence[str] = (),
    ) -> None:
        """Create the statements.

        ``update`` sets the columns ``changes``, by default all fields, and ``resets`` to fixed values.
        ``sealed`` are columns of secrets, which are encrypted when they are stored.
        """
        self._sealed = sealed
        self._table, self._scope = table, scope
        stored = {column.key: column for column in table.c if column.key not in ("account_id", *hidden)}
        self.shape = Shape(kind, {**stored, **(columns or {})}, finish)
        owner = table.c[scope]
        is_owner = is_same(owner, scope) if owner.nullable else owner == bindparam(scope, type_=owner.type)
        self.in_scope = and_(in_account(table), is_owner)
        self.by_key = and_(self.in_scope, table.c.id == bindparam("row_id"))
        self.source = table if source is None else source
        records = select(*self.shape.columns).select_from(self.source)
        self._stamps = [name for name in ("created_at", "updated_at") if name in table.c]
        changed = (*(changes or stored), *(name for name in self._stamps if name == "updated_at"))
        new = {name: bindparam(f"new_{name}", type_=table.c[name].type) for name in changed}
        self._all = Statement(records.where(self.in_scope).order_by(*(order_by or (table.c.id,))))
        self._one = Statement(records.where(self.by_key))
        self._count = Statement(select(func.count()).select_from(table).where(self.in_scope))
        self._lock = Statement(select(table.c.id).where(self.by_key).with_for_update())
        self._insert = Statement(insert(table))
        self._update = Statement(update(table).where(self.by_key).values({**new, **(resets or {})}))
        self._delete = Statement(delete(table).where(self.by_key))

    def all(self, transaction: Transaction, owner: int | None) -> list[R]:
        """Return the records of an owner, in order."""
        return self.shape.all(transaction, self._all, **{self._scope: owner})

    def one(self, transaction: Transaction, owner: int | None, row_id: int) -> R | None:
        """Return a record of an owner, None if it does not exist."""
        return self.shape.one(transaction, self._one, row_id=row_id, **{self._scope: owner})

    def count(self, transaction: Transaction, owner: int | None) -> int:
        """Return the number of an owner's rows."""
        return int(transaction.value(self._count, **{self._scope: owner}))

    def lock(self, transaction: Transaction, owner: int | None, row_id: int) -> None:
        """Lock a row until the end of the transaction."""
        transaction.one(self._lock, row_id=row_id, **{self._scope: owner})

    def insert(self, transaction: Transaction, owner: int | None, **values: Any) -> int:
        """Insert a row with the next id and the present time, and return its id."""
        row_id = counters.next_id(transaction, self._table.name)
        stamps = dict.fromkeys(self._stamps, transaction.now)
        values = self._sealing(transaction, row_id, values)
        transaction.run(self._insert, id=row_id, **{self._scope: owner}, **stamps, **values)
        return row_id

    def update(self, transaction: Transaction, owner: int | None, row_id: int, **values: Any) -> None:
        """Set all the values of a row that an update may change."""
        values = self._sealing(transaction, row_id, values)
        new = {f"new_{name}": value for name, value in values.items()}
        key = {"row_id": row_id, self._scope: owner, "new_updated_at": transaction.now}
        transaction.run(self._update, **key, **new)

    def _sealing(self, transaction: Transaction, row_id: int, values: Mapping[str, Any]) -> dict[str, Any]:
        sealed = {
            name: sealed_columns.seal(
                transaction, values[name], Place(self._table.name, name, (transaction.account_id, row_id))
            )
            for name in self._sealed
            if name in values
        }
        return {**values, **sealed}

    def delete(self, transaction: Transaction, owner: int | None, row_id: int) -> bool:
        """Delete a row; return whether it existed."""
        return bool(transaction.changed(self._delete, row_id=row_id, **{self._scope: owner}))
