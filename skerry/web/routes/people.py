"""The part of the route table for people: members, accounts, and a person's own resources."""

from skerry.resources.accounts import Account
from skerry.resources.audit import AuditEntry
from skerry.resources.auth import (
    Identity,
    Invitation,
    InvitationBatch,
    Passkey,
    Password,
    RecoveryCodes,
    Session,
    SetUp,
    TimeCodes,
    Token,
    TokenProof,
    TokenRequest,
    Welcome,
)
from skerry.resources.health import Health
from skerry.resources.moving_in import Import
from skerry.resources.notifications import Marking, Notification
from skerry.resources.people import Membership, Person, Placeholder, Preferences, User
from skerry.resources.removals import Removal
from skerry.resources.sending import Backlog, Feed
from skerry.tracker import administration, health, moving_in, removals
from skerry.tracker.access import Permission
from skerry.tracker.audit import entries
from skerry.tracker.auth import (
    factors,
    identities,
    invitation_batches,
    invitations,
    passkeys,
    passwords,
    sessions,
    setup_links,
    token_requests,
    tokens,
)
from skerry.tracker.notifications import inbox
from skerry.tracker.people import avatars, memberships, placeholders, preferences, users
from skerry.tracker.sending import backlogs, feeds
from skerry.web.route import ResponseKind, Route

MEMBERSHIPS = "/projects/{project_id}/memberships"
MEMBERSHIP = f"{MEMBERSHIPS}/{{id}}"
RESTORED_MEMBERSHIP = f"{MEMBERSHIP}/restore"
AVATAR = "/avatars/{code}"
PREFERENCES = "/profile/preferences"
OWN_AVATAR = "/profile/avatar"
USER = "/users/{id}"
TOKENS = "/profile/tokens"
TOKEN = f"{TOKENS}/{{id}}"
REPLACED_TOKEN = f"{TOKEN}/replace"
TOKEN_REQUESTS = "/profile/token-requests"  # noqa: S105 - a path
TOKEN_REQUEST = f"{TOKEN_REQUESTS}/{{code}}"
FEEDS = "/profile/feeds"
FEED = f"{FEEDS}/{{id}}"
SESSIONS = "/profile/sessions"
IDENTITIES = "/profile/identities"
IDENTITY = f"{IDENTITIES}/{{id}}"
TIME_CODES = "/profile/time-codes"
RECOVERY_CODES = "/profile/recovery-codes"
PASSKEYS = "/profile/passkeys"
PASSKEY = f"{PASSKEYS}/{{id}}"
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
INVITATIONS = "/invitations"
INVITATION = f"{INVITATIONS}/{{id}}"
INVITATION_BATCH = f"{INVITATIONS}/batch"
WELCOME = "/welcome/{code}"
SET_UP = "/set-up/{code}"
NOTIFICATIONS = "/notifications"
NOTIFICATION = f"{NOTIFICATIONS}/{{id}}"
READ = f"{NOTIFICATIONS}/read"
READ_UNDO = f"{READ}/{{id}}/undo"

_HOLD = administration.lock
_SUCCESSOR = ("successor_id",)

ROUTES: tuple[Route, ...] = (
    Route("GET", USER, users.get, Permission.SIGNED_IN, User),
    Route("POST", USER, users.update, Permission.SIGNED_IN, User, draft=User),
    Route("PUT", USER, users.update, Permission.SIGNED_IN, User, draft=User),
    Route("GET", "/profile", users.profile, Permission.SIGNED_IN, User),
    Route("POST", "/profile", users.update_profile, Permission.SIGNED_IN, User, draft=User),
    Route("PUT", "/profile", users.update_profile, Permission.SIGNED_IN, User, draft=User),
    Route("GET", PREFERENCES, preferences.get, Permission.IN_PERSON, Preferences),
    Route("PUT", PREFERENCES, preferences.update, Permission.IN_PERSON, Preferences, draft=Preferences),
    Route("PUT", OWN_AVATAR, avatars.replace, Permission.SIGNED_IN, User, files=True),
    Route("DELETE", OWN_AVATAR, avatars.remove, Permission.SIGNED_IN, User, ResponseKind.EMPTY),
    Route("GET", AVATAR, avatars.found, Permission.PUBLIC, User, ResponseKind.FILE),
    Route("GET", ACCOUNT, administration.account, Permission.ADMINISTER, Account),
    Route(
        "PUT",
        ACCOUNT,
        administration.update_account,
        Permission.ADMINISTER,
        Account,
        draft=Account,
        first=_HOLD,
    ),
    Route("GET", "/administration/health", health.get, Permission.ADMINISTER, Health, quick=False),
    Route("GET", BACKLOG, backlogs.list_all, Permission.ADMINISTER, Backlog, ResponseKind.LIST, quick=False),
    Route(
        "GET",
        AUDIT,
        entries.list_all,
        Permission.ADMINISTER,
        AuditEntry,
        ResponseKind.PAGE,
        extra_params=entries.FILTERS,
        quick=False,
    ),
    Route("GET", PEOPLE, administration.list_all, Permission.ADMINISTER, Person, ResponseKind.LIST),
    Route("GET", REMOVED, administration.outside, Permission.ADMINISTER, Person, ResponseKind.LIST),
    Route("GET", PLACEHOLDERS, placeholders.list_all, Permission.ADMINISTER, Placeholder, ResponseKind.LIST),
    Route("GET", PLACEHOLDER, placeholders.get, Permission.ADMINISTER, Placeholder),
    Route(
        "PUT",
        PLACEHOLDER,
        placeholders.update,
        Permission.ADMINISTER,
        Placeholder,
        draft=Placeholder,
        first=_HOLD,
    ),
    Route("GET", PERSON, administration.get, Permission.ADMINISTER, Person),
    Route("PUT", PERSON, administration.update, Permission.ADMINISTER, Person, draft=Person, first=_HOLD),
    Route(
        "DELETE",
        PERSON,
        removals.remove_person,
        Permission.ADMINISTER,
        Person,
        ResponseKind.EMPTY,
        extra_params=_SUCCESSOR,
        first=_HOLD,
    ),
    Route(
        "DELETE",
        FACTORS_OF_PERSON,
        administration.reset_factors,
        Permission.ADMINISTER,
        Person,
        ResponseKind.EMPTY,
        first=_HOLD,
    ),
    Route(
        "DELETE",
        SESSIONS_OF_PERSON,
        administration.end_sessions,
        Permission.ADMINISTER,
        Session,
        ResponseKind.EMPTY,
        first=_HOLD,
    ),
    Route("GET", "/removals", removals.of_account, Permission.ADMINISTER, Removal, ResponseKind.LIST),
    Route("POST", RESTORED_PERSON, removals.restore_person, Permission.ADMINISTER, Person, first=_HOLD),
    Route("GET", IMPORTS, moving_in.list_all, Permission.ADMINISTER, Import, ResponseKind.LIST),
    Route(
        "POST",
        IMPORTS,
        moving_in.create,
        Permission.ADMINISTER,
        Import,
        location=IMPORT,
        draft=Import,
        files=True,
    ),
    Route("GET", IMPORT, moving_in.get, Permission.ADMINISTER, Import),
    Route("PUT", IMPORT, moving_in.update, Permission.ADMINISTER, Import, draft=Import, first=_HOLD),
    Route("DELETE", IMPORT, moving_in.delete, Permission.ADMINISTER, Import, ResponseKind.EMPTY, first=_HOLD),
    Route("POST", f"{IMPORT}/start", moving_in.start, Permission.ADMINISTER, Import, first=_HOLD),
    Route("GET", INVITATIONS, invitations.list_all, Permission.ADMINISTER, Invitation, ResponseKind.LIST),
    Route(
        "POST",
        INVITATIONS,
        invitations.create,
        Permission.ADMINISTER,
        Invitation,
        location=INVITATION,
        draft=Invitation,
        once=True,
    ),
    Route(
        "POST",
        INVITATION_BATCH,
        invitation_batches.create,
        Permission.ADMINISTER,
        InvitationBatch,
        draft=InvitationBatch,
        once=True,
    ),
    Route("GET", INVITATION, invitations.get, Permission.ADMINISTER, Invitation),
    Route("DELETE", INVITATION, invitations.remove, Permission.ADMINISTER, Invitation, ResponseKind.EMPTY),
    Route("GET", WELCOME, invitations.welcome, Permission.CAPABILITY_LINK, Welcome),
    Route(
        "POST",
        WELCOME,
        invitations.accept,
        Permission.CAPABILITY_LINK,
        User,
        draft=Welcome,
        prepare=invitations.hashed,
    ),
    Route("GET", SET_UP, setup_links.get, Permission.CAPABILITY_LINK, SetUp),
    Route(
        "POST",
        SET_UP,
        setup_links.finish,
        Permission.CAPABILITY_LINK,
        User,
        draft=SetUp,
        prepare=setup_links.hashed,
    ),
    Route(
        "GET",
        NOTIFICATIONS,
        inbox.list_all,
        Permission.SIGNED_IN,
        Notification,
        ResponseKind.PAGE,
        extra_params=("unread", "snoozed", *inbox.FILTERS),
    ),
    Route(
        "POST",
        READ,
        inbox.read_all,
        Permission.SIGNED_IN,
        Marking,
        extra_params=(inbox.UP_TO, *inbox.FILTERS),
    ),
    Route("POST", READ_UNDO, inbox.unread_again, Permission.SIGNED_IN, Marking),
    Route("GET", NOTIFICATION, inbox.get, Permission.SIGNED_IN, Notification),
    Route("PUT", NOTIFICATION, inbox.update, Permission.SIGNED_IN, Notification, draft=Notification),
    Route("GET", TOKENS, tokens.list_all, Permission.IN_PERSON, Token, ResponseKind.LIST),
    Route("POST", TOKENS, tokens.create, Permission.IN_PERSON, Token, location=TOKEN, draft=Token, once=True),
    Route("DELETE", TOKENS, tokens.remove_all, Permission.IN_PERSON, Token, ResponseKind.EMPTY),
    Route(
        "POST",
        REPLACED_TOKEN,
        tokens.replace,
        Permission.IN_PERSON,
        Token,
        location=TOKEN,
        extra_params=("overlap_hours",),
        once=True,
    ),
    Route("GET", TOKEN, tokens.own, Permission.IN_PERSON, Token),
    Route("DELETE", TOKEN, tokens.remove, Permission.IN_PERSON, Token, ResponseKind.EMPTY),
    Route(
        "POST",
        TOKEN_REQUESTS,
        token_requests.create,
        Permission.IN_PERSON,
        TokenRequest,
        draft=TokenRequest,
        once=True,
    ),
    Route(
        "POST",
        TOKEN_REQUEST,
        token_requests.exchange,
        Permission.CAPABILITY_LINK,
        Token,
        draft=TokenProof,
        once=True,
    ),
    Route("GET", FEEDS, feeds.list_all, Permission.IN_PERSON, Feed, ResponseKind.LIST),
    Route("POST", FEEDS, feeds.create, Permission.IN_PERSON, Feed, location=FEED, draft=Feed, once=True),
    Route("GET", FEED, feeds.get, Permission.IN_PERSON, Feed),
    Route("DELETE", FEED, feeds.delete, Permission.IN_PERSON, Feed, ResponseKind.EMPTY),
    Route(
        "GET",
        "/feeds/{code}",
        feeds.read,
        Permission.CAPABILITY_LINK,
        Feed,
        ResponseKind.FEED,
        quick=False,
    ),
    Route("GET", SESSIONS, sessions.list_all, Permission.IN_PERSON, Session, ResponseKind.LIST),
    Route("DELETE", SESSIONS, sessions.end_others, Permission.IN_PERSON, Session, ResponseKind.EMPTY),
    Route("DELETE", f"{SESSIONS}/{{id}}", sessions.end, Permission.IN_PERSON, Session, ResponseKind.EMPTY),
    Route("GET", IDENTITIES, identities.list_all, Permission.IN_PERSON, Identity, ResponseKind.LIST),
    Route("DELETE", IDENTITY, identities.remove, Permission.IN_PERSON, Identity, ResponseKind.EMPTY),
    Route("GET", TIME_CODES, factors.get, Permission.IN_PERSON, TimeCodes),
    Route("POST", TIME_CODES, factors.create, Permission.IN_PERSON, TimeCodes, once=True),
    Route("PUT", TIME_CODES, factors.confirm, Permission.IN_PERSON, TimeCodes, draft=TimeCodes, once=True),
    Route("DELETE", TIME_CODES, factors.remove, Permission.IN_PERSON, TimeCodes, ResponseKind.EMPTY),
    Route("GET", RECOVERY_CODES, factors.recovery_codes, Permission.IN_PERSON, RecoveryCodes),
    Route(
        "POST",
        RECOVERY_CODES,
        factors.renew_recovery_codes,
        Permission.IN_PERSON,
        RecoveryCodes,
        once=True,
    ),
    Route("GET", PASSKEYS, passkeys.list_all, Permission.IN_PERSON, Passkey, ResponseKind.LIST),
    Route("GET", f"{PASSKEYS}/new", passkeys.new, Permission.IN_PERSON, Passkey, quick=False),
    Route(
        "POST",
        PASSKEYS,
        passkeys.create,
        Permission.IN_PERSON,
        Passkey,
        location=PASSKEY,
        draft=Passkey,
        once=True,
        prepare=passkeys.loaded,
    ),
    Route("GET", PASSKEY, passkeys.get, Permission.IN_PERSON, Passkey),
    Route("PUT", PASSKEY, passkeys.update, Permission.IN_PERSON, Passkey, draft=Passkey),
    Route("DELETE", PASSKEY, passkeys.remove, Permission.IN_PERSON, Passkey, ResponseKind.EMPTY),
    Route(
        "PUT",
        "/profile/password",
        passwords.change,
        Permission.IN_PERSON,
        Password,
        draft=Password,
        prepare=passwords.compared,
        confirms_password=True,
    ),
    Route(
        "GET", f"{USER}/memberships", memberships.of_user, Permission.SIGNED_IN, Membership, ResponseKind.LIST
    ),
    Route("GET", MEMBERSHIPS, memberships.of_project, Permission.VIEW, Membership, ResponseKind.LIST),
    Route(
        "POST",
        MEMBERSHIPS,
        memberships.create,
        Permission.CONTRIBUTE,
        Membership,
        location=MEMBERSHIP,
        draft=Membership,
        first=_HOLD,
    ),
    Route("GET", MEMBERSHIP, memberships.get, Permission.VIEW, Membership),
    Route(
        "DELETE",
        MEMBERSHIP,
        removals.remove_member,
        Permission.CONTRIBUTE,
        Membership,
        ResponseKind.EMPTY,
        extra_params=_SUCCESSOR,
    ),
    Route(
        "GET",
        "/projects/{project_id}/removals",
        removals.of_project,
        Permission.CONTRIBUTE,
        Removal,
        ResponseKind.LIST,
    ),
    Route(
        "POST", RESTORED_MEMBERSHIP, removals.restore_member, Permission.CONTRIBUTE, Membership, first=_HOLD
    ),
    Route("GET", "/tokens/{token}", tokens.get, Permission.SIGNED_IN, Token),
)
