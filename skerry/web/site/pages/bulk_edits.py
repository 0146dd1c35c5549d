"""Pages of bulk edits: previews and results."""

import re
from collections.abc import Callable

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.tickets import PLAIN
from skerry.text.commands import COMMANDS
from skerry.tracker import bulk_dry_run, bulk_edits, projects
from skerry.tracker.bulk_dry_run import Preview
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content

Previewing = Callable[[Context, str, str], Preview]


def new(context: Context, params: Params) -> Content:
    """Return the edit in the query string, with its preview or its errors."""
    return edited(context, params, _selection, bulk_dry_run.preview)


def edited(
    context: Context, params: Params, selection: Callable[[list[str]], str], preview: Previewing
) -> Content:
    """Return an edit, its preview and its errors; ``selection`` is the query for what was selected."""
    query, command = _query(params, selection), params.query.get("command", "").strip()
    foreseen, problems = _preview(context, query, command, preview) if query and command else (None, [])
    return {
        "query": query,
        "command": command,
        "list": params.query.get("list"),
        "foreseen": foreseen,
        "problems": problems,
        "commands": COMMANDS.values(),
        "plain": PLAIN,
        "nothing_selected": not query and params.query.get("of") == "selected",
    }


def _selection(ticked: list[str]) -> str:
    numbers = [each for each in ticked if each.isdecimal()]
    return f"number:({','.join(numbers)})" if numbers else ""


def _query(params: Params, selection: Callable[[list[str]], str]) -> str:
    """Return the query: the tickets selected in a list, or else the whole list."""
    text = params.query.get("query", "").strip()
    if params.query.get("of") == "selected":
        return selection(params.query.get("numbers", "").split(","))
    return text or ("all" if params.query.get("of") == "found" else "")


def _preview(
    context: Context, query: str, command: str, preview: Previewing
) -> tuple[Preview | None, list[str]]:
    try:
        return preview(context, query, command), []
    except (Invalid, Forbidden) as failure:
        return None, list(failure.sentences)


def just_made(context: Context, params: Params) -> BulkEdit | None:
    """Return the bulk edit that the reader was redirected from, or None if they cannot undo it."""
    number = made_id(params)
    if number is None:
        return None
    try:
        edit = bulk_edits.one(context, number)
    except NotFound:
        return None
    is_own = context.member and edit.user_id == context.author.user_id
    return edit if is_own and not edit.undone_by and not context.project.archived else None


def made_id(params: Params) -> int | None:
    """Return the id of the bulk edit that the reader was redirected from."""
    number = params.query.get("edited", "")
    return int(number) if re.fullmatch(r"[0-9]{1,18}", number) else None


def get(context: Context, params: Params) -> Content:
    """Return a bulk edit with the present state of its first tickets; raises NotFound."""
    edit = bulk_edits.get(context, params)
    return {
        "edit": edit,
        "tickets": [] if edit.new_numbers else bulk_dry_run.some(context, edit.numbers),
        "states": projects.states_of(context.project),
    }
