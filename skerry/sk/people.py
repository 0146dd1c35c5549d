"""Names of people and milestones, which requests name by ids."""

from typing import TYPE_CHECKING, Any

from skerry.client import Milestone, Profile, Record
from skerry.sk.failures import Failure

if TYPE_CHECKING:
    from skerry.client import Client

_NOBODY = ("none", "")


class _Membership(Record):
    """A member of the project."""

    kind, path, pages = "membership", "memberships", False

    user_id: int = 0
    user: dict[str, Any] = {}


def person_id(client: "Client", name: str) -> int | None:
    """Return the id of a member of the project by name, of ``me``, or None for ``none``; raises Failure."""
    if name.casefold() in _NOBODY:
        return None
    if name.isdecimal():
        return int(name)
    if name.casefold() == "me":
        return client.get(Profile).id
    wanted = name.casefold()
    names = {one.user_id: str(one.user.get("name", "")).casefold() for one in client.list(_Membership)}
    exact = [id_ for id_, called in names.items() if called == wanted]
    fitting = exact or [id_ for id_, called in names.items() if wanted in called.split()]
    if len(fitting) != 1:
        raise Failure(f"{'Several members are' if fitting else 'No member is'} called {name}")
    return fitting[0]


def milestone_id(client: "Client", name: str) -> int | None:
    """Return the id of a milestone by title or id, or None for ``none``; raises Failure."""
    if name.casefold() in _NOBODY:
        return None
    for one in client.list(Milestone):
        if name.casefold() in (one.title.casefold(), str(one.id)):
            return one.id
    raise Failure(f"There is no milestone {name}")
