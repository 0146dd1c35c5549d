"""The pages of imports."""

from math import ceil

from skerry.database.transactions import SECOND
from skerry.resources.moving_in import Import
from skerry.tracker import moving_in, projects
from skerry.tracker.context import Context, Params
from skerry.transfer.sources.columns import FIELDS
from skerry.web.site.pages import Content
from skerry.wire.tree import Tree


def list_all(context: Context, params: Params) -> Content:
    """Return the imports of the account."""
    return {"imports": moving_in.list_all(context, params).records, "kinds": moving_in.KINDS}


def get(context: Context, params: Params) -> Content:
    """Return an import with its report in lines, the columns of its table, and what it imported."""
    record = moving_in.get(context, params)
    lines = record.columns.splitlines()
    there = {project.id: project for project in projects.list_all(context, params).records}
    return {
        "found": record,
        "columns": [line.rpartition(" = ")[::2] for line in lines if " = " in line],
        "of_table": "\n".join(line for line in lines if " = " not in line),
        "fields": FIELDS,
        "imported": [there[each] for each in record.project_ids if each in there],
        "report": _sections(record.report),
        "is_working": record.state in ("checking", "running"),
        "minutes_left": _left(context, record),
    }


def _sections(report: str) -> list[tuple[str, list[str]]]:
    """Return the titles of a report with the lines below them; the lines at the end have no title."""
    sections = list[tuple[str, list[str]]]()
    for line in report.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            sections.append((line.removesuffix(":"), []))
            continue
        if not sections or (sections[-1][0] and not line.startswith(" ")):
            sections.append(("", []))
        sections[-1][1].append(line.strip())
    return sections


def _left(context: Context, found: Import) -> int:
    """Return an estimate of the minutes until a stage ends, 0 if it is unknown."""
    if not (found.stage_began_at and found.done and found.total):
        return 0
    passed = context.transaction.now / SECOND - found.stage_began_at.timestamp()
    return max(0, ceil(passed * (found.total - found.done) / found.done / 60))


def composed(tree: Tree) -> Tree:
    """Return a form with the text of its fields about columns; a text that it has itself stays."""
    fields, chosen = tree.get("import"), tree.get("column")
    if not isinstance(fields, dict) or not isinstance(chosen, dict):
        return tree
    headings = tree.get("heading")
    named = headings if isinstance(headings, dict) else {}
    lines = [f"{named.get(place, '')} = {name}" for place, name in chosen.items() if named.get(place)]
    text = "\n".join([str(tree.get("of_table", "")), *lines])
    rest = {name: value for name, value in tree.items() if name not in ("column", "heading", "of_table")}
    return {**rest, "import": {"columns": text, **fields}}
