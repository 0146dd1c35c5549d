"""The routes, pages and forms of mail: what came in, mailed links, and what was not sent or not used."""

from skerry.resources.auth import ChosenPassword, PasswordReset, Verification
from skerry.resources.mail import IncomingMailResult, Mail, Subscription, UnusedMail
from skerry.resources.people import User
from skerry.tracker.auth import password_resets
from skerry.tracker.mail import addresses, incoming, incoming_mails, subscriptions, unsent_mails
from skerry.tracker.people import frequency
from skerry.web.route import ADMINISTER, CAPABILITY_LINK, CONNECT, EMPTY, IN_PERSON, LIST, PUBLIC, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.routes.profile import PROFILE
from skerry.web.site.pages import mail

VERIFICATION = "/verification/{code}"
OWN_VERIFICATION = "/profile/verification"
PASSWORD_RESETS = "/password-reset"  # noqa: S105 - an address
PASSWORD_RESET = f"{PASSWORD_RESETS}/{{code}}"
UNSUBSCRIBE = "/unsubscribe/{code}"
UNSUBSCRIBE_LINK = "/profile/unsubscribe-link"
MAILS = "/administration/mails"
MAIL = f"{MAILS}/{{id}}"
UNUSED_MAILS = "/administration/unused-mails"

ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/mail",
        incoming.receive,
        CONNECT,
        IncomingMailResult,
        extra_params=("to", "from"),
        takes_mail=True,
    ),
    Route("POST", OWN_VERIFICATION, addresses.ask, IN_PERSON, Verification, EMPTY),
    Route("GET", VERIFICATION, addresses.get, CAPABILITY_LINK, Verification),
    Route("POST", VERIFICATION, addresses.verify, CAPABILITY_LINK, Verification),
    Route("GET", PASSWORD_RESETS, password_resets.new, PUBLIC, PasswordReset),
    Route(
        "POST",
        PASSWORD_RESETS,
        password_resets.ask,
        CAPABILITY_LINK,
        PasswordReset,
        EMPTY,
        draft=PasswordReset,
    ),
    Route("GET", PASSWORD_RESET, password_resets.get, CAPABILITY_LINK, ChosenPassword),
    Route(
        "POST",
        PASSWORD_RESET,
        password_resets.finish,
        CAPABILITY_LINK,
        User,
        draft=ChosenPassword,
        prepare=password_resets.hashed,
    ),
    Route("GET", UNSUBSCRIBE, subscriptions.get, CAPABILITY_LINK, Subscription),
    # Mail services must not be redirected (RFC 8058), so the page is the response.
    Route("POST", UNSUBSCRIBE, subscriptions.unsubscribe, CAPABILITY_LINK, Subscription, once=True),
    Route("DELETE", UNSUBSCRIBE_LINK, frequency.renew_link, IN_PERSON, Subscription),
    Route("GET", MAILS, unsent_mails.list_all, ADMINISTER, Mail, LIST),
    Route("GET", UNUSED_MAILS, incoming_mails.list_all, ADMINISTER, UnusedMail, LIST),
    Route("GET", MAIL, unsent_mails.get, ADMINISTER, Mail),
    Route("DELETE", MAIL, unsent_mails.remove, ADMINISTER, Mail, EMPTY),
    Route("POST", f"{MAIL}/retry", unsent_mails.retry, ADMINISTER, Mail),
)

PAGES: tuple[Page, ...] = (
    Page(VERIFICATION, "verification.html", mail.verification, CAPABILITY_LINK),
    Page(UNSUBSCRIBE, "unsubscribe.html", mail.unsubscribe, CAPABILITY_LINK),
    Page(PASSWORD_RESETS, "password_reset.html", mail.request_password_reset, PUBLIC),
    Page(PASSWORD_RESET, "new_password.html", mail.new_password, CAPABILITY_LINK),
    Page(MAILS, "mails.html", mail.list_all, ADMINISTER),
)

FORMS: tuple[Form, ...] = (
    Form("POST", OWN_VERIFICATION, page=PROFILE, then=f"{PROFILE}?{SAVED}#mail"),
    Form("POST", VERIFICATION, page=VERIFICATION, then="/"),
    Form("POST", UNSUBSCRIBE, page=UNSUBSCRIBE, then=UNSUBSCRIBE),
    Form("DELETE", UNSUBSCRIBE_LINK, page=PROFILE, then=f"{PROFILE}?{SAVED}#mail"),
    Form("POST", PASSWORD_RESETS, page=PASSWORD_RESETS, then=f"{PASSWORD_RESETS}?{SAVED}"),
    Form("POST", PASSWORD_RESET, page=PASSWORD_RESET, then="/", signs_in=True),
    Form("DELETE", MAIL, page=MAILS, then=MAILS),
    Form("POST", f"{MAIL}/retry", page=MAILS, then=MAILS),
)
