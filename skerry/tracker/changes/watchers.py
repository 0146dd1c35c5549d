"""The watchers of a ticket."""

from collections.abc import Iterable

from skerry.errors import Forbidden
from skerry.store.people import people as store
from skerry.tracker.context import Context, Params
from skerry.tracker.people import people
from skerry.wire.values import whole_numbers, yes_or_no


def filter_by_name(context: Context, user_ids: list[int]) -> dict[int, str]:
    """Return the names of a ticket's watchers by id."""
    return store.names(context.transaction, user_ids)


def after(
    context: Context,
    params: Params,
    *,
    present: list[int],
    joining: Iterable[int | None],
    named: Iterable[int],
) -> list[int]:
    """Return the ids of the watchers after a change.

    Those in ``joining`` are added; the parameter ``multiple_watchers`` replaces the list; the people
    ``named`` in the text are added in either case. ``watching`` adds or removes the caller. Raises Invalid
    for a person who cannot see the project, Forbidden if the caller may not set the list.
    """
    watchers = sorted({*_wanted(context, params, present, joining), *named})
    own = params.extra_params.get("watching")
    if own is None:
        return watchers
    others = {*watchers} - {context.author.user_id}
    return sorted(others | {context.author.user_id} if yes_or_no("Watching", own) else others)


def _wanted(context: Context, params: Params, present: list[int], joining: Iterable[int | None]) -> list[int]:
    joined = sorted({*present, *(user_id for user_id in joining if user_id is not None)})
    wanted = params.extra_params.get("multiple_watchers")
    if wanted is None:
        return joined
    watchers = sorted(set(whole_numbers("Multiple watchers", wanted)))
    if watchers == joined:
        return joined
    if not context.member:
        raise Forbidden("Only members of the project may subscribe others")
    people.check_watchers(context.transaction, context.project, watchers, joined)
    return watchers
