"""The part of the route table for mail: mailed links, and mail that was not sent or not used."""

from skerry.resources.auth import NewPassword, PasswordReset, Verification
from skerry.resources.mail import Mail, Subscription, UnusedMail
from skerry.resources.people import User
from skerry.tracker.access import Permission
from skerry.tracker.auth import password_resets
from skerry.tracker.mail import addresses, incoming_mails, subscriptions, unsent_mails
from skerry.tracker.people import frequency
from skerry.web.route import ResponseKind, Route

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
    Route("POST", OWN_VERIFICATION, addresses.ask, Permission.IN_PERSON, Verification, ResponseKind.EMPTY),
    Route("GET", VERIFICATION, addresses.get, Permission.CAPABILITY_LINK, Verification),
    Route("POST", VERIFICATION, addresses.verify, Permission.CAPABILITY_LINK, Verification),
    Route("GET", PASSWORD_RESETS, password_resets.new, Permission.PUBLIC, PasswordReset),
    Route(
        "POST",
        PASSWORD_RESETS,
        password_resets.ask,
        Permission.CAPABILITY_LINK,
        PasswordReset,
        ResponseKind.EMPTY,
        draft=PasswordReset,
    ),
    Route("GET", PASSWORD_RESET, password_resets.get, Permission.CAPABILITY_LINK, NewPassword),
    Route(
        "POST",
        PASSWORD_RESET,
        password_resets.finish,
        Permission.CAPABILITY_LINK,
        User,
        draft=NewPassword,
        prepare=password_resets.hashed,
    ),
    Route("GET", UNSUBSCRIBE, subscriptions.get, Permission.CAPABILITY_LINK, Subscription),
    # Mail services must not be redirected (RFC 8058), so the page is the response.
    Route(
        "POST", UNSUBSCRIBE, subscriptions.unsubscribe, Permission.CAPABILITY_LINK, Subscription, once=True
    ),
    Route("DELETE", UNSUBSCRIBE_LINK, frequency.renew_link, Permission.IN_PERSON, Subscription),
    Route("GET", MAILS, unsent_mails.list_all, Permission.ADMINISTER, Mail, ResponseKind.LIST),
    Route("GET", UNUSED_MAILS, incoming_mails.list_all, Permission.ADMINISTER, UnusedMail, ResponseKind.LIST),
    Route("GET", MAIL, unsent_mails.get, Permission.ADMINISTER, Mail),
    Route("DELETE", MAIL, unsent_mails.remove, Permission.ADMINISTER, Mail, ResponseKind.EMPTY),
    Route("POST", f"{MAIL}/retry", unsent_mails.retry, Permission.ADMINISTER, Mail),
)
