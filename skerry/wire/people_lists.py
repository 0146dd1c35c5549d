"""Lists of people and their logins, such as those from a spreadsheet."""

import csv
import re
from collections.abc import Iterable

from skerry.errors import Invalid

_HEADER = "id"
_ID = re.compile("[1-9][0-9]{0,17}")


def read_people(lines: Iterable[str]) -> dict[int, tuple[str, str]]:
    """Return e-mail address and name, possibly empty, by id, from lines such as ``12,ada@example.org,Ada``.

    Raises Invalid, naming the line, for anything else, and for a repeated id.
    """
    found: dict[int, tuple[str, str]] = {}
    try:
        for number, row in enumerate(csv.reader(lines), 1):
            cells = [cell.strip() for cell in row]
            if not any(cells) or (number == 1 and cells[0].lower() == _HEADER):
                continue
            user_id, email, name = _person(number, cells)
            if user_id in found:
                raise Invalid(f"Line {number} of the list of people names {user_id} again")
            found[user_id] = email, name
    except UnicodeDecodeError as error:
        raise Invalid("The list of people is not in UTF-8") from error
    except csv.Error as error:
        raise Invalid(f"The list of people cannot be read: {error}") from error
    return found


def _person(number: int, cells: list[str]) -> tuple[int, str, str]:
    if len(cells) < 2 or not _ID.fullmatch(cells[0]):  # noqa: PLR2004 - id and address
        raise Invalid(
            f"Line {number} of the list of people must be an id, an e-mail address and perhaps a name"
        )
    return int(cells[0]), cells[1], cells[2] if len(cells) > 2 else ""  # noqa: PLR2004 - a name
