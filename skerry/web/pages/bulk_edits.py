"""Pages of bulk edits: what one would do, and what one has done."""

from skerry.errors import Forbidden, Invalid
from skerry.resources.tickets import PLAIN
from skerry.text.commands import COMMANDS
from skerry.tracker import bulk_edits, dry_runs, projects
from skerry.tracker.dry_runs import Foreseen
from skerry.tracker.visit import Ask, Visit
from skerry.web.pages.content import Content


def blank(visit: Visit, ask: Ask) -> Content:
    """Return the edit that the address names, and what it would do or why it cannot be done."""
    query, command = _query(ask), ask.query.get("command", "").strip()
    foreseen, problems = _foreseen(visit, query, command) if query and command else (None, [])
    return {
        "query": query,
        "command": command,
        "foreseen": foreseen,
        "problems": problems,
        "states": projects.states_of(visit.project),
        "commands": COMMANDS.values(),
        "plain": PLAIN,
        "nothing_selected": not query and ask.query.get("of") == "selected",
    }


def _query(ask: Ask) -> str:
    """Return the query: the tickets ticked in a list, or else the whole list."""
    text = ask.query.get("query", "").strip()
    if ask.query.get("of") == "selected":
        numbers = [each for each in ask.query.get("numbers", "").split(",") if each.isdecimal()]
        return f"number:({','.join(numbers)})" if numbers else ""
    return text or ("all" if ask.query.get("of") == "found" else "")


def _foreseen(visit: Visit, query: str, command: str) -> tuple[Foreseen | None, list[str]]:
    try:
        return dry_runs.foreseen(visit, query, command), []
    except (Invalid, Forbidden) as failure:
        return None, list(failure.sentences)


def shown(visit: Visit, ask: Ask) -> Content:
    """Return a bulk edit with the first of its tickets, as they is now; raises NotFound."""
    edit = bulk_edits.shown(visit, ask)
    return {
        "edit": edit,
        "tickets": [] if edit.moved_to else dry_runs.some(visit, edit.numbers),
        "states": projects.states_of(visit.project),
    }
