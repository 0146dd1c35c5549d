"""The part of the map about people: who belongs to an account or a project, and what is theirs."""

from skerry.resources.accounts import Account
from skerry.resources.health import Health
from skerry.resources.invitations import Invitation, Welcome
from skerry.resources.memberships import Membership
from skerry.resources.passwords import Password
from skerry.resources.people import Person
from skerry.resources.removals import Removal
from skerry.resources.sessions import Session
from skerry.resources.set_ups import SetUp
from skerry.resources.tokens import Token
from skerry.resources.users import User
from skerry.tracker import (
    administration,
    avatars,
    health,
    invitations,
    memberships,
    passwords,
    removals,
    sessions,
    set_ups,
    tokens,
    users,
)
from skerry.tracker.access import Need
from skerry.web.routes import Gives, Line

MEMBERSHIPS = "/projects/{project_id}/memberships"
MEMBERSHIP = f"{MEMBERSHIPS}/{{id}}"
RESTORED_MEMBERSHIP = f"{MEMBERSHIP}/restore"
AVATAR = "/avatars/{code}"
OWN_AVATAR = "/profile/avatar"
USER = "/users/{id}"
TOKENS = "/profile/tokens"
TOKEN = f"{TOKENS}/{{id}}"
SESSIONS = "/profile/sessions"
ACCOUNT = "/account"
PEOPLE = "/people"
PERSON = f"{PEOPLE}/{{id}}"
REMOVED = f"{PEOPLE}/removed"
RESTORED_PERSON = f"{PERSON}/restore"
INVITATIONS = "/invitations"
INVITATION = f"{INVITATIONS}/{{id}}"
WELCOME = "/welcome/{code}"
SET_UP = "/set-up/{code}"

_HOLD = administration.hold
_SUCCESSOR = ("successor_id",)

ROUTES: tuple[Line, ...] = (
    Line("GET", USER, users.shown, Need.KNOWN, User),
    Line("POST", USER, users.update, Need.KNOWN, User, draft=User),
    Line("PUT", USER, users.update, Need.KNOWN, User, draft=User),
    Line("GET", "/profile", users.profile, Need.KNOWN, User),
    Line("POST", "/profile", users.update_profile, Need.KNOWN, User, draft=User),
    Line("PUT", "/profile", users.update_profile, Need.KNOWN, User, draft=User),
    Line("PUT", OWN_AVATAR, avatars.replace, Need.KNOWN, User, files=True),
    Line("DELETE", OWN_AVATAR, avatars.remove, Need.KNOWN, User, Gives.NOTHING),
    Line("GET", AVATAR, avatars.found, Need.OPEN, User, Gives.FILE),
    Line("GET", ACCOUNT, administration.account, Need.ADMINISTER, Account),
    Line("PUT", ACCOUNT, administration.rename, Need.ADMINISTER, Account, draft=Account, first=_HOLD),
    Line("GET", "/administration/health", health.shown, Need.ADMINISTER, Health, quick=False),
    Line("GET", PEOPLE, administration.listed, Need.ADMINISTER, Person, Gives.LIST),
    Line("GET", REMOVED, administration.outside, Need.ADMINISTER, Person, Gives.LIST),
    Line("GET", PERSON, administration.shown, Need.ADMINISTER, Person),
    Line("PUT", PERSON, administration.update, Need.ADMINISTER, Person, draft=Person, first=_HOLD),
    Line(
        "DELETE",
        PERSON,
        removals.remove_person,
        Need.ADMINISTER,
        Person,
        Gives.NOTHING,
        beside=_SUCCESSOR,
        first=_HOLD,
    ),
    Line("GET", "/removals", removals.of_account, Need.ADMINISTER, Removal, Gives.LIST),
    Line("POST", RESTORED_PERSON, removals.restore_person, Need.ADMINISTER, Person, first=_HOLD),
    Line("GET", INVITATIONS, invitations.listed, Need.ADMINISTER, Invitation, Gives.LIST),
    Line(
        "POST",
        INVITATIONS,
        invitations.create,
        Need.ADMINISTER,
        Invitation,
        makes=INVITATION,
        draft=Invitation,
        once=True,
    ),
    Line("GET", INVITATION, invitations.shown, Need.ADMINISTER, Invitation),
    Line("DELETE", INVITATION, invitations.remove, Need.ADMINISTER, Invitation, Gives.NOTHING),
    Line("GET", WELCOME, invitations.welcome, Need.GUEST, Welcome),
    Line("POST", WELCOME, invitations.accept, Need.GUEST, User, draft=Welcome, ahead=invitations.hashed),
    Line("GET", SET_UP, set_ups.shown, Need.GUEST, SetUp),
    Line("POST", SET_UP, set_ups.finish, Need.GUEST, User, draft=SetUp, ahead=set_ups.hashed),
    Line("GET", TOKENS, tokens.listed, Need.SELF, Token, Gives.LIST),
    Line("POST", TOKENS, tokens.create, Need.SELF, Token, makes=TOKEN, draft=Token, once=True),
    Line("GET", TOKEN, tokens.own, Need.SELF, Token),
    Line("DELETE", TOKEN, tokens.remove, Need.SELF, Token, Gives.NOTHING),
    Line("GET", SESSIONS, sessions.listed, Need.SELF, Session, Gives.LIST),
    Line("DELETE", SESSIONS, sessions.end_others, Need.SELF, Session, Gives.NOTHING),
    Line("DELETE", f"{SESSIONS}/{{id}}", sessions.end, Need.SELF, Session, Gives.NOTHING),
    Line(
        "PUT",
        "/profile/password",
        passwords.change,
        Need.SELF,
        Password,
        draft=Password,
        ahead=passwords.compared,
    ),
    Line("GET", f"{USER}/memberships", memberships.of_user, Need.KNOWN, Membership, Gives.LIST),
    Line("GET", MEMBERSHIPS, memberships.of_project, Need.SEE, Membership, Gives.LIST),
    Line(
        "POST",
        MEMBERSHIPS,
        memberships.create,
        Need.WORK,
        Membership,
        makes=MEMBERSHIP,
        draft=Membership,
        first=_HOLD,
    ),
    Line("GET", MEMBERSHIP, memberships.shown, Need.SEE, Membership),
    Line(
        "DELETE",
        MEMBERSHIP,
        removals.remove_member,
        Need.WORK,
        Membership,
        Gives.NOTHING,
        beside=_SUCCESSOR,
    ),
    Line("GET", "/projects/{project_id}/removals", removals.of_project, Need.WORK, Removal, Gives.LIST),
    Line("POST", RESTORED_MEMBERSHIP, removals.restore_member, Need.WORK, Membership, first=_HOLD),
    Line("GET", "/tokens/{token}", tokens.shown, Need.KNOWN, Token),
)
