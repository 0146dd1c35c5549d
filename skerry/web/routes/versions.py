"""The routes, pages and forms of the versions of tickets, which hold their comments."""

from skerry.resources.tickets import Version
from skerry.tracker import edit_conflicts, held_texts, versions
from skerry.tracker.changes import task_boxes
from skerry.tracker.earlier_texts import delete_of_version
from skerry.web.route import COMMENT, EMPTY, PAGE, TICKET, VIEW, Route
from skerry.web.routes import earlier_texts
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import ticket

VERSIONS = f"{TICKET}/versions"
VERSION = f"{VERSIONS}/{{version}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", VERSIONS, versions.list_all, VIEW, Version, PAGE),
    Route(
        "POST",
        VERSIONS,
        versions.create,
        COMMENT,
        Version,
        location=VERSION,
        draft=Version,
        files=True,
        hold=held_texts.hold_comment,
    ),
    Route("GET", VERSION, versions.get_with_quoted, VIEW, Version),
    Route(
        "PUT",
        VERSION,
        versions.update,
        COMMENT,
        Version,
        draft=Version,
        extra_params=task_boxes.PARAMETERS,
        files=True,
        prepare=versions.prepare,
        hold=held_texts.refuse_edit,
    ),
    Route("DELETE", VERSION, versions.delete, COMMENT, Version, EMPTY),
    *earlier_texts.routes(VERSION, delete_of_version, COMMENT),
)

PAGES: tuple[Page, ...] = (
    Page(VERSION, "text.html", ticket.text),
    Page(f"{VERSION}/edit", "version_edit.html", ticket.comment, COMMENT),
    Page(f"{VERSION}/delete", "version_delete.html", ticket.comment, COMMENT),
    Page(f"{VERSION}/texts", "earlier_texts.html", ticket.earlier_texts),
)

FORMS: tuple[Form, ...] = (
    Form(
        "PUT",
        VERSION,
        page=f"{VERSION}/edit",
        then=f"{TICKET}#v{{version}}",
        guard=edit_conflicts.check_version,
    ),
    Form("DELETE", VERSION, page=f"{VERSION}/delete", then=TICKET),
    earlier_texts.form(VERSION),
)
