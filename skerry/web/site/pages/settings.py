"""The page of a project's settings."""

from skerry.errors import Invalid
from skerry.resources.projects import ProjectSettings
from skerry.text.palette import PALETTE
from skerry.text.settings_rows import Row, moved, read_rows, sent_rows, write_rows
from skerry.tracker import edit_conflicts, form_choices, settings
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.wire.tree import Tree

_SHOWN = (
    "name",
    "description",
    "license",
    "public",
    "open_states",
    "closed_states",
    "importance_levels",
    "default_assigned_user_id",
    "default_milestone_id",
    "mail_from_anyone",
)


def get(context: Context, params: Params) -> Content:
    """Return the settings with the choices for the defaults."""
    current = settings.get(context, params)
    return {
        "settings": current,
        "seen": _mark(current),
        "choices": form_choices.choices(context),
        "as_text": params.query.get("as") == "text",
        "states_of": _states_of,
        "levels_of": _levels_of,
        "palette": PALETTE,
    }


def _states_of(open_states: str, closed_states: str) -> list[Row] | None:
    """Return the rows of states, and an empty one; None if they can only be edited as texts."""
    still_open, closed = read_rows(open_states), read_rows(closed_states, closed=True)
    return None if still_open is None or closed is None else [*still_open, *closed, Row()]


def _levels_of(text: str) -> list[Row] | None:
    """Return the rows of levels, and an empty one; None if they can only be edited as a text."""
    rows = read_rows(text)
    return None if rows is None or any(row.name and not row.number for row in rows) else [*rows, Row()]


def composed(tree: Tree) -> Tree:
    """Return a form with the texts of its rows of states and levels; texts that it has itself stay."""
    fields = tree.get("settings")
    if not isinstance(fields, dict) or not ("states" in tree or "levels" in tree):
        return tree
    rest = {name: value for name, value in tree.items() if name not in ("states", "levels", "move")}
    texts: Tree = {}
    if "states" in tree:
        rows = moved(list(sent_rows(tree["states"])), str(tree.get("move", "")))
        texts["open_states"] = write_rows([row for row in rows if not row.closed])
        texts["closed_states"] = write_rows([row for row in rows if row.closed])
    if "levels" in tree:
        texts["importance_levels"] = write_rows(list(sent_rows(tree["levels"])))
    return {**rest, "settings": {**texts, **fields}}


def check_seen(context: Context, params: Params, saw: str) -> None:
    """Raise PreconditionFailed if the settings have changed since the reader saw them."""
    edit_conflicts.check(saw, _mark(settings.get(context, params)))


def _mark(current: ProjectSettings) -> str:
    return edit_conflicts.mark(*(getattr(current, name) for name in _SHOWN))


def check_name(context: Context, _params: Params, entered: str) -> None:
    """Raise Invalid unless the form repeats the name of the project to be removed."""
    if entered.strip() != context.project.name.strip():
        raise Invalid("Enter the project's name to delete it")
