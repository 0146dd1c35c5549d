"""Mentions of people as ``@name`` in texts, and suggestions for them.

Only people who can see the project can be mentioned, and guests only once they take part in it. Outsiders can
mention its members alone, because they see nobody else of the account.
"""

from skerry.resources.suggestions import Suggestion
from skerry.store import mentions as store
from skerry.text import mentions
from skerry.text.words import small
from skerry.tracker.context import Context, Params, ResultPage

MAX_SUGGESTED = 20


def suggest(context: Context, params: Params) -> ResultPage[Suggestion]:
    """Return up to 20 mentions of people with a name that begins with the typed letters."""
    typed = params.query.get("q", "")
    people = _names(context)
    written = mentions.written(people)
    suggestions = [
        Suggestion(written[user_id], "person", name, 0, len(typed))
        for user_id, name in sorted(people.items(), key=lambda person: (small(person[1]), person[0]))
        if user_id in written and _begins(name, small(typed).replace("_", " "))
    ]
    return ResultPage(Suggestion, suggestions[:MAX_SUGGESTED])


def _begins(name: str, typed: str) -> bool:
    words = small(name).split()
    return any(" ".join(words[first:]).startswith(typed) for first in range(len(words)))


def named(context: Context, html: str, before: str = "") -> tuple[int, ...]:
    """Return the ids of the people whom the HTML of a text mentions and who can see the project.

    People already mentioned in the HTML ``before`` are left out.
    """
    mentioned = mentions.mentioned(html) - mentions.mentioned(before)
    if not mentioned:
        return ()
    # A link may lead to anybody's page.
    return tuple(sorted(mentioned & _names(context).keys())[: mentions.MAX])


def _names(context: Context) -> dict[int, str]:
    return store.names(context.transaction, context.project_id, members=is_outside(context))


def is_outside(context: Context) -> bool:
    """Return whether the caller belongs neither to the project nor to the account."""
    return not (context.member or (context.principal and context.principal.role))
