"""The routes, pages and forms of sign-up, and for people who wait."""

from skerry.resources.auth import Applicant, Decision, JoiningPerson, SignUp
from skerry.tracker import administration
from skerry.tracker.auth import applicants, sign_ups
from skerry.web.route import ADMINISTER, CAPABILITY_LINK, EMPTY, LIST, PUBLIC, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import sign_ups as sign_up_pages

SIGN_UP = "/sign-up"
SIGN_UP_LINK = f"{SIGN_UP}/{{code}}"
APPLICANTS = "/applicants"
DECISION = f"{APPLICANTS}/decision"

ROUTES: tuple[Route, ...] = (
    Route("GET", SIGN_UP, sign_ups.new, PUBLIC, SignUp),
    Route("POST", SIGN_UP, sign_ups.ask, CAPABILITY_LINK, SignUp, EMPTY, draft=SignUp),
    Route("GET", SIGN_UP_LINK, sign_ups.get, CAPABILITY_LINK, JoiningPerson),
    Route(
        "POST",
        SIGN_UP_LINK,
        sign_ups.finish,
        CAPABILITY_LINK,
        JoiningPerson,
        draft=JoiningPerson,
        prepare=sign_ups.hashed,
    ),
    Route("GET", APPLICANTS, applicants.list_all, ADMINISTER, Applicant, LIST),
    Route("GET", f"{APPLICANTS}/{{id}}", applicants.get, ADMINISTER, Applicant),
    Route(
        "POST", DECISION, applicants.decide, ADMINISTER, Decision, draft=Decision, first=administration.lock
    ),
)

PAGES: tuple[Page, ...] = (
    Page(SIGN_UP, "sign_up.html", sign_up_pages.ask, PUBLIC),
    Page(SIGN_UP_LINK, "new_person.html", sign_up_pages.finish, CAPABILITY_LINK),
    Page(APPLICANTS, "applicants.html", sign_up_pages.waiting, ADMINISTER),
)

FORMS: tuple[Form, ...] = (
    Form("POST", SIGN_UP, page=SIGN_UP, then=f"{SIGN_UP}?done=mailed"),
    Form("POST", SIGN_UP_LINK, page=SIGN_UP_LINK, then=f"{SIGN_UP}?done={{state}}", signs_in=True),
    Form("POST", DECISION, page=APPLICANTS, then=f"{APPLICANTS}?{SAVED}"),
)
