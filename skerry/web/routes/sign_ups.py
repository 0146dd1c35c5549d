"""The part of the route table for sign-up, and for people and texts that wait."""

from skerry.resources.auth import Applicant, Decision, NewPerson, SignUp
from skerry.resources.held_texts import HeldText, TextDecision
from skerry.resources.spam import SpamRemoval
from skerry.tracker import administration, held_texts
from skerry.tracker.access import Permission
from skerry.tracker.auth import applicants, sign_ups
from skerry.tracker.spam import spam
from skerry.web.route import PROJECT, ResponseKind, Route

SIGN_UP = "/sign-up"
SIGN_UP_LINK = f"{SIGN_UP}/{{code}}"
APPLICANTS = "/applicants"
DECISION = f"{APPLICANTS}/decision"
HELD_TEXTS = f"{PROJECT}/held-texts"
SPAM_REMOVALS = "/spam-removals"
SPAM_REMOVAL = f"{SPAM_REMOVALS}/{{id}}"
SPAM_UNDO = f"{SPAM_REMOVAL}/undo"
TEXT_DECISION = f"{HELD_TEXTS}/decision"

ROUTES: tuple[Route, ...] = (
    Route("GET", SIGN_UP, sign_ups.new, Permission.PUBLIC, SignUp),
    Route(
        "POST",
        SIGN_UP,
        sign_ups.ask,
        Permission.CAPABILITY_LINK,
        SignUp,
        ResponseKind.EMPTY,
        draft=SignUp,
    ),
    Route("GET", SIGN_UP_LINK, sign_ups.get, Permission.CAPABILITY_LINK, NewPerson),
    Route(
        "POST",
        SIGN_UP_LINK,
        sign_ups.finish,
        Permission.CAPABILITY_LINK,
        NewPerson,
        draft=NewPerson,
        prepare=sign_ups.hashed,
    ),
    Route("GET", APPLICANTS, applicants.list_all, Permission.ADMINISTER, Applicant, ResponseKind.LIST),
    Route("GET", f"{APPLICANTS}/{{id}}", applicants.get, Permission.ADMINISTER, Applicant),
    Route(
        "POST",
        DECISION,
        applicants.decide,
        Permission.ADMINISTER,
        Decision,
        draft=Decision,
        first=administration.lock,
    ),
    Route("GET", SPAM_REMOVALS, spam.list_all, Permission.ADMINISTER, SpamRemoval, ResponseKind.LIST),
    Route("GET", SPAM_REMOVAL, spam.get, Permission.ADMINISTER, SpamRemoval),
    Route(
        "PUT",
        SPAM_REMOVAL,
        spam.create,
        Permission.ADMINISTER,
        SpamRemoval,
        first=administration.lock,
    ),
    Route("POST", SPAM_UNDO, spam.undo, Permission.ADMINISTER, SpamRemoval, first=administration.lock),
    Route("GET", HELD_TEXTS, held_texts.list_all, Permission.CUSTOMIZE, HeldText, ResponseKind.PAGE),
    Route("GET", f"{HELD_TEXTS}/{{id}}", held_texts.get, Permission.CUSTOMIZE, HeldText),
    Route("POST", TEXT_DECISION, held_texts.decide, Permission.CONTRIBUTE, TextDecision, draft=TextDecision),
)
