"""The people of Trac: logins, whoever is not signed in, and names with addresses."""

import re

from skerry.transfer.sources.records import Person
from skerry.transfer.sources.trac.database import Database

_NAMED = re.compile(r"(?P<name>[^<>]*)<(?P<email>[^<>\s@]+@[^<>\s@]+)>")
_ADDRESS = re.compile(r"[^<>\s@]+@[^<>\s@]+")
_MAX_LENGTH = 200
# The owner of tickets for whose component nobody is responsible.
_DEFAULT = "< default >"


class People:
    """Finds people by how they are written; an address of somebody with a login is that person."""

    def __init__(self, database: Database) -> None:
        """Read the names and addresses that people have given themselves."""
        self.found: dict[str, Person] = {}
        self._by_address: dict[str, str] = {}
        told: dict[str, dict[str, str]] = {}
        for row in database.rows("session_attribute", ("sid", "authenticated", "name", "value")):
            # Only those who have signed in are known to be who they say.
            if row.text("name") in ("name", "email") and row.values["authenticated"] == 1:
                told.setdefault(row.text("sid")[:_MAX_LENGTH], {})[row.text("name")] = row.text(
                    "value"
                ).strip()
        for login, values in told.items():
            email = values.get("email", "")
            email = email if _ADDRESS.fullmatch(email) and len(email) <= _MAX_LENGTH else ""
            name = values.get("name", "")[:_MAX_LENGTH] or login
            if email and self._by_address.setdefault(email.lower(), login) != login:
                email = ""
            self.found[login] = Person(login, name, email)

    def key(self, said: str) -> str:
        """Return the key of a person, or nothing for nobody."""
        said = " ".join(said.split())[:_MAX_LENGTH]
        if said == _DEFAULT:
            return ""
        match = _NAMED.fullmatch(said)
        if not match and not _ADDRESS.fullmatch(said):
            if said:
                self.found.setdefault(said, Person(said, said.capitalize() if said == "anonymous" else said))
            return said
        address = match["email"] if match else said
        key = self._by_address.get(address.lower(), address.lower())
        name = (match["name"].strip(' "') if match else "") or address.partition("@")[0]
        # Whoever is not signed in writes what they like there, so it does not make them somebody here.
        self.found.setdefault(key, Person(key, name))
        return key

    def keys(self, said: str) -> list[str]:
        """Return the keys of several people, such as those in a field of copies."""
        sign = r"[,;]" if re.search(r"[,;<]", said) else r"\s"
        return [key for each in re.split(sign, said) if (key := self.key(each))]
