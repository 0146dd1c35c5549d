"""Boards of tickets: of a project, and of all projects visible to the reader."""

from urllib.parse import urlencode

from skerry.tracker import access, bins, boards, edit_conflicts, projects
from skerry.tracker.boards import Board
from skerry.tracker.context import Context, Params
from skerry.tracker.people import avatars
from skerry.web.site.pages import Content, ticket_edit, ticket_list


def get(context: Context, params: Params) -> Content:
    """Return the board of a query; without one, that of the default bin.

    Raises Unauthenticated if no project is visible, Invalid for an unknown group.
    """
    kept = bins.readable(context)
    text, chosen, layout = ticket_list.viewed(context, params, kept)
    query, mistake = ticket_list.understood(text)
    asked = params.query.get("group")
    group = boards.group_of(asked, layout)
    known = [context.project] if context.entered else projects.list_all(context, params).records
    board = Board(group, []) if mistake else boards.of_query(context, query, group, layout, known)
    place = f"/projects/{context.project_id}" if context.entered else ""
    people = {ticket.assigned_user_id for ticket in board.tickets}
    if group == "responsible":
        people |= {each.column.number or None for each in board.columns}
    return {
        "place": ticket_list.path_of(context),
        "at": f"{place}/board",
        "here": f"{place}/board?{urlencode({'q': text, **({'group': group} if asked else {})})}",
        "asked": group if asked else "",
        "query": text,
        "query_shown": ticket_list.shown_text(context, text, query, mistake),
        "views": bins.beside(context, kept, exact=True),
        "keeps": ticket_list.keeps(context, chosen),
        "mistake": mistake,
        "unknown": None if board.total else ticket_list.unknown_value(context, text, known),
        **ticket_list.QUERY_LINE,
        "chosen": chosen,
        "board": board,
        "groups_known": tuple(boards.FIELDS),
        "projects": {} if context.entered else {project.id: project for project in known},
        "states": projects.states_of_some(known, board.tickets),
        "changeable": access.changeable(context, known),
        "undo": ticket_edit.undo(context, params),
        "pictures": avatars.paths(context, people),
        "seen_of": edit_conflicts.seen_of,
    }
