"""The end of an import: what leads from one of its projects to another, restored when all are here."""

from collections import Counter
from collections.abc import Callable, Mapping

from skerry.database.database import Database
from skerry.store.search import index as search_index
from skerry.tracker import backlinks
from skerry.transfer.importing import links, project_references
from skerry.transfer.importing.references import References
from skerry.transfer.importing.writing import Progress


def restore(
    database: Database,
    account_id: int,
    imported: Mapping[int, References],
    here: Callable[[int], int | None],
    told: Counter[str],
    progress: Progress,
) -> None:
    """Restore former addresses, links and backlinks of imported projects, as often as it is called.

    ``imported`` has the references of each new project, ``here`` returns the id here of a project of the
    archive.
    """
    project_references.restore_addresses(database, account_id, imported, here)
    links.restore(database, account_id, imported, here, told)
    for project_id in imported:
        backlinks.find_in(database, account_id, project_id)
    for moved, total in search_index.put_in_order(database, account_id):
        progress("Ordering tickets for searches", moved, total)
