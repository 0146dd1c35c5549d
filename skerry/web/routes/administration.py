"""The routes, pages and forms of the account and its people."""

from skerry.resources.accounts import Account
from skerry.resources.audit import AuditEntry
from skerry.resources.auth import Session
from skerry.resources.health import Health
from skerry.resources.moving_in import Import
from skerry.resources.people import Person, Placeholder
from skerry.resources.removals import Removal
from skerry.resources.sending import Backlog
from skerry.tracker import administration, health, moving_in, removals
from skerry.tracker.audit import entries
from skerry.tracker.people import placeholders
from skerry.tracker.sending import backlogs
from skerry.web.route import ADMINISTER, EMPTY, LIST, PAGE, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import administration as administration_pages
from skerry.web.site.pages import audit
from skerry.web.site.pages import moving_in as import_pages

ACCOUNT = "/account"
BACKLOG = "/administration/backlog"
AUDIT = "/administration/audit"
PEOPLE = "/people"
PERSON = f"{PEOPLE}/{{id}}"
FACTORS_OF_PERSON = f"{PERSON}/factors"
REMOVED = f"{PEOPLE}/removed"
PLACEHOLDERS = f"{PEOPLE}/placeholders"
PLACEHOLDER = f"{PLACEHOLDERS}/{{id}}"
RESTORED_PERSON = f"{PERSON}/restore"
SESSIONS_OF_PERSON = f"{PERSON}/sessions"
IMPORTS = "/imports"
IMPORT = f"{IMPORTS}/{{id}}"
_HOLD = administration.lock
_SUCCESSOR = ("successor_id",)
ADMINISTRATION = "/administration"

ROUTES: tuple[Route, ...] = (
    Route("GET", ACCOUNT, administration.account, ADMINISTER, Account),
    Route("PUT", ACCOUNT, administration.update_account, ADMINISTER, Account, draft=Account, first=_HOLD),
    Route("GET", "/administration/health", health.get, ADMINISTER, Health, quick=False),
    Route("GET", BACKLOG, backlogs.list_all, ADMINISTER, Backlog, LIST, quick=False),
    Route(
        "GET",
        AUDIT,
        entries.list_all,
        ADMINISTER,
        AuditEntry,
        PAGE,
        whole=True,
        extra_params=entries.FILTERS,
        quick=False,
    ),
    Route("GET", PEOPLE, administration.list_all, ADMINISTER, Person, LIST),
    Route("GET", REMOVED, administration.outside, ADMINISTER, Person, LIST),
    Route("GET", PLACEHOLDERS, placeholders.list_all, ADMINISTER, Placeholder, LIST),
    Route("GET", PLACEHOLDER, placeholders.get, ADMINISTER, Placeholder),
    Route("PUT", PLACEHOLDER, placeholders.update, ADMINISTER, Placeholder, draft=Placeholder, first=_HOLD),
    Route("GET", PERSON, administration.get, ADMINISTER, Person),
    Route("PUT", PERSON, administration.update, ADMINISTER, Person, draft=Person, first=_HOLD),
    Route(
        "DELETE",
        PERSON,
        removals.remove_person,
        ADMINISTER,
        Person,
        EMPTY,
        extra_params=_SUCCESSOR,
        first=_HOLD,
    ),
    Route("DELETE", FACTORS_OF_PERSON, administration.reset_factors, ADMINISTER, Person, EMPTY, first=_HOLD),
    Route("DELETE", SESSIONS_OF_PERSON, administration.end_sessions, ADMINISTER, Session, EMPTY, first=_HOLD),
    Route("GET", "/removals", removals.of_account, ADMINISTER, Removal, LIST),
    Route("POST", RESTORED_PERSON, removals.restore_person, ADMINISTER, Person, first=_HOLD),
    Route("GET", IMPORTS, moving_in.list_all, ADMINISTER, Import, LIST),
    Route("POST", IMPORTS, moving_in.create, ADMINISTER, Import, location=IMPORT, draft=Import, files=True),
    Route("GET", IMPORT, moving_in.get, ADMINISTER, Import),
    Route("PUT", IMPORT, moving_in.update, ADMINISTER, Import, draft=Import, first=_HOLD),
    Route("DELETE", IMPORT, moving_in.delete, ADMINISTER, Import, EMPTY, first=_HOLD),
    Route("POST", f"{IMPORT}/start", moving_in.start, ADMINISTER, Import, first=_HOLD),
)

PAGES: tuple[Page, ...] = (
    Page(ADMINISTRATION, "administration.html", administration_pages.get, ADMINISTER),
    Page(AUDIT, "audit.html", audit.list_all, ADMINISTER),
    Page(BACKLOG, "backlog.html", administration_pages.backlog, ADMINISTER),
    Page(f"{PERSON}/delete", "person_delete.html", administration_pages.removal, ADMINISTER),
    Page(REMOVED, "removed.html", administration_pages.removed, ADMINISTER),
    Page(PLACEHOLDERS, "placeholders.html", administration_pages.placeholders_found, ADMINISTER),
    Page(IMPORTS, "imports.html", import_pages.list_all, ADMINISTER),
    Page(IMPORT, "import.html", import_pages.get, ADMINISTER),
)

FORMS: tuple[Form, ...] = (
    Form("PUT", ACCOUNT, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("POST", IMPORTS, page=IMPORTS),
    Form("PUT", IMPORT, page=IMPORT, then=IMPORT, composed=import_pages.composed),
    Form("POST", f"{IMPORT}/start", page=IMPORT, then=IMPORT),
    Form("DELETE", IMPORT, page=IMPORT, then=IMPORTS),
    Form("PUT", PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("PUT", PLACEHOLDER, page=PLACEHOLDERS, then=f"{PLACEHOLDERS}?{SAVED}"),
    Form("DELETE", PERSON, page=f"{PERSON}/delete", then=f"{ADMINISTRATION}?removed={{id}}"),
    Form("POST", RESTORED_PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("DELETE", SESSIONS_OF_PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("DELETE", FACTORS_OF_PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
)
