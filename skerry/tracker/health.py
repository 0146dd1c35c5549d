"""The state of the service, for administrators."""

import platform
from importlib.metadata import version

from skerry.database.rows import timestamp
from skerry.resources.health import Health
from skerry.store import health as store
from skerry.tracker.context import Context, Params


def get(context: Context, _params: Params) -> Health:
    """Return the health of the service, and how much data the account has."""
    transaction = context.transaction
    kind, number, size = store.database(transaction)
    files = store.attached(transaction)
    data = transaction.blobs.data if transaction.blobs else None
    return Health(
        program_version=version("skerry"),
        python_version=platform.python_version(),
        schema_revision=store.revision(transaction),
        database=kind,
        database_version=number,
        database_size=size,
        tickets_count=store.tickets_count(transaction),
        attachments_count=files.count,
        attachments_size=files.size,
        free_size=store.free(data) if data else None,
        copied_at=store.newest_copy(data) if data else None,
        measured_at=timestamp(transaction.now),
    )
