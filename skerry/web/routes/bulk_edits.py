"""The routes, pages and forms of bulk edits, of a project and of the account."""

from skerry.resources.bulk_edits import AccountBulkEdit, BulkEdit
from skerry.tracker import account_bulk_edits, bulk_dry_run, bulk_edits, bulk_undo
from skerry.web.route import CONTRIBUTE, PROJECT, PUBLIC, SIGNED_IN, VIEW, Route
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import account_bulk_edits as account_bulk_edit_pages
from skerry.web.site.pages import bulk_edits as bulk_edit_pages

BULK_EDIT = f"{PROJECT}/bulk_edits/{{id}}"
BULK_EDIT_OF_ACCOUNT = "/bulk_edits/{id}"
NEW_BULK_EDIT = f"{PROJECT}/bulk_edits/new"

ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        f"{PROJECT}/bulk_edit",
        bulk_edits.create,
        CONTRIBUTE,
        BulkEdit,
        location=BULK_EDIT,
        draft=BulkEdit,
        dry_run_field="dry_run",
    ),
    Route("GET", BULK_EDIT, bulk_edits.get, VIEW, BulkEdit),
    Route(
        "POST",
        "/bulk_edit",
        account_bulk_edits.create,
        SIGNED_IN,
        AccountBulkEdit,
        location=BULK_EDIT_OF_ACCOUNT,
        draft=AccountBulkEdit,
        dry_run_field="dry_run",
    ),
    Route("GET", BULK_EDIT_OF_ACCOUNT, account_bulk_edits.get, PUBLIC, AccountBulkEdit),
    Route(
        "POST",
        f"{BULK_EDIT_OF_ACCOUNT}/undo",
        account_bulk_edits.undo,
        SIGNED_IN,
        AccountBulkEdit,
        location=BULK_EDIT_OF_ACCOUNT,
    ),
    Route("POST", f"{BULK_EDIT}/undo", bulk_undo.undo, CONTRIBUTE, BulkEdit, location=BULK_EDIT),
)

PAGES: tuple[Page, ...] = (
    Page(NEW_BULK_EDIT, "bulk_edit_new.html", bulk_edit_pages.new, CONTRIBUTE),
    Page(BULK_EDIT, "bulk_edit.html", bulk_edit_pages.get),
    Page("/bulk_edits/new", "bulk_edit_new.html", account_bulk_edit_pages.new, SIGNED_IN),
    Page(BULK_EDIT_OF_ACCOUNT, "account_bulk_edit.html", account_bulk_edit_pages.get, PUBLIC),
)

FORMS: tuple[Form, ...] = (
    Form("POST", f"{PROJECT}/bulk_edit", page=NEW_BULK_EDIT, guard=bulk_dry_run.check),
    Form("POST", f"{BULK_EDIT}/undo", page=BULK_EDIT),
    Form("POST", "/bulk_edit", page="/bulk_edits/new", guard=account_bulk_edit_pages.check),
    Form("POST", f"{BULK_EDIT_OF_ACCOUNT}/undo", page=BULK_EDIT_OF_ACCOUNT),
)
