"""The routes, pages and forms of texts that wait for a member, and for removed spam."""

from skerry.resources.held_texts import HeldText, TextDecision
from skerry.resources.spam import SpamRemoval
from skerry.tracker import administration, held_texts
from skerry.tracker.spam import spam
from skerry.web.route import ADMINISTER, CONTRIBUTE, CUSTOMIZE, LIST, PAGE, PROJECT, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import held_texts as held_text_pages
from skerry.web.site.pages import spam as spam_pages

HELD_TEXTS = f"{PROJECT}/held-texts"
SPAM_REMOVALS = "/spam-removals"
SPAM_REMOVAL = f"{SPAM_REMOVALS}/{{id}}"
SPAM_UNDO = f"{SPAM_REMOVAL}/undo"
TEXT_DECISION = f"{HELD_TEXTS}/decision"

ROUTES: tuple[Route, ...] = (
    Route("GET", SPAM_REMOVALS, spam.list_all, ADMINISTER, SpamRemoval, LIST),
    Route("GET", SPAM_REMOVAL, spam.get, ADMINISTER, SpamRemoval),
    Route("PUT", SPAM_REMOVAL, spam.create, ADMINISTER, SpamRemoval, first=administration.lock),
    Route("POST", SPAM_UNDO, spam.undo, ADMINISTER, SpamRemoval, first=administration.lock),
    Route("GET", HELD_TEXTS, held_texts.list_all, CUSTOMIZE, HeldText, PAGE, whole=True),
    Route("GET", f"{HELD_TEXTS}/{{id}}", held_texts.get, CUSTOMIZE, HeldText),
    Route("POST", TEXT_DECISION, held_texts.decide, CONTRIBUTE, TextDecision, draft=TextDecision),
)

PAGES: tuple[Page, ...] = (
    Page(SPAM_REMOVALS, "spam.html", spam_pages.list_all, ADMINISTER),
    Page(HELD_TEXTS, "held_texts.html", held_text_pages.list_all, CUSTOMIZE),
)

FORMS: tuple[Form, ...] = (
    Form("PUT", SPAM_REMOVAL, page=SPAM_REMOVALS, then=f"{SPAM_REMOVALS}?{SAVED}"),
    Form("POST", SPAM_UNDO, page=SPAM_REMOVALS, then=f"{SPAM_REMOVALS}?{SAVED}"),
    Form("POST", TEXT_DECISION, page=HELD_TEXTS, then=f"{HELD_TEXTS}?{SAVED}"),
)
