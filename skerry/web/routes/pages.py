"""The page table of the site: all pages, and the target of each form.

A page has the path of a route without an extension, or its own path. A form posts to a route; this table only
says which page contains the form and where it redirects. So pages can do nothing that programs cannot.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from skerry.tracker import bulk_dry_run, edit_conflicts
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params
from skerry.web import route as routes
from skerry.web.route import PROJECT, TICKET, TICKETS, Endpoint, ResponseKind, Route
from skerry.web.routes import hooks as hook_routes
from skerry.web.routes import service_users as service
from skerry.web.routes.lists import BINS, BINS_OF_ACCOUNT, OWN_LIST, OWN_LIST_OF_ALL
from skerry.web.routes.mail import (
    MAIL,
    MAILS,
    OWN_VERIFICATION,
    PASSWORD_RESET,
    PASSWORD_RESETS,
    UNSUBSCRIBE,
    UNSUBSCRIBE_LINK,
    VERIFICATION,
)
from skerry.web.routes.people import (
    ACCOUNT,
    AUDIT,
    BACKLOG,
    FACTORS_OF_PERSON,
    FEED,
    FEEDS,
    IDENTITY,
    IMPORT,
    IMPORTS,
    INVITATION,
    INVITATION_BATCH,
    INVITATIONS,
    MEMBERSHIP,
    MEMBERSHIPS,
    NOTIFICATION,
    NOTIFICATIONS,
    OWN_AVATAR,
    PASSKEY,
    PASSKEYS,
    PERSON,
    PLACEHOLDER,
    PLACEHOLDERS,
    PREFERENCES,
    READ,
    READ_UNDO,
    RECOVERY_CODES,
    REMOVED,
    REPLACED_TOKEN,
    RESTORED_MEMBERSHIP,
    RESTORED_PERSON,
    SESSIONS,
    SESSIONS_OF_PERSON,
    SET_UP,
    TIME_CODES,
    TOKEN,
    TOKEN_REQUESTS,
    TOKENS,
    USER,
    WELCOME,
)
from skerry.web.routes.sign_ups import (
    APPLICANTS,
    DECISION,
    HELD_TEXTS,
    SIGN_UP,
    SIGN_UP_LINK,
    SPAM_REMOVAL,
    SPAM_REMOVALS,
    SPAM_UNDO,
    TEXT_DECISION,
)
from skerry.web.routes.table import (
    BULK_EDIT,
    BULK_EDIT_OF_ACCOUNT,
    CHANGESET,
    CHANGESETS,
    CLAIM,
    LEVEL,
    LINK,
    LINKS,
    MESSAGE,
    MESSAGES,
    MILESTONE,
    MILESTONES,
    MUTE,
    ROUTES,
    SETTINGS,
    TEMPLATE,
    TEMPLATES,
    VERSION,
)
from skerry.web.site.pages import (
    Content,
    Elsewhere,
    account_bulk_edits,
    activities,
    administration,
    audit,
    bins,
    boards,
    bulk_edits,
    changesets,
    dashboard,
    factors,
    forges,
    held_texts,
    hooks,
    mail,
    memberships,
    messages,
    milestones,
    moving_in,
    notifications,
    profile,
    projects,
    service_users,
    settings,
    sign_ups,
    spam,
    ticket,
    ticket_edit,
    ticket_filters,
    ticket_list,
    ticket_templates,
    users,
)
from skerry.wire.record import Record
from skerry.wire.tree import Tree

PROFILE = "/profile"
ADMINISTRATION = "/administration"

SAVED = "saved"
"""The parameter in the URL of a page that says that its form was saved."""


@dataclass(frozen=True)
class Page:
    """A page: its path, its template, the function that collects its content, and its permission."""

    path: str
    template: str
    use_case: Callable[[Context, Params], Content | Elsewhere]
    permission: Permission = Permission.VIEW

    @property
    def route(self) -> Route:
        """Return the page as a route."""
        return Route("GET", self.path, self.use_case, self.permission, Record, ResponseKind.FORM)


@dataclass(frozen=True)
class Form:
    """A form: the route that it posts to, and the page that contains it and shows its errors.

    ``then`` is the path of the redirect, with names of fields of the result and of path parameters; if it is
    empty, the redirect leads to the created resource, or else to the page of the form. A ``guard`` may refuse
    before anything is changed; it receives the context, the params, and what the reader saw according to the
    form. ``signs_in`` returns the user whom the form signs in. ``composed`` returns the fields that the route
    takes from those of the form. ``shown_once`` names a secret of the result that the page shows; without
    it, the form redirects.
    """

    method: str
    path: str
    page: str
    then: str = ""
    guard: Callable[[Context, Params, str], None] | None = None
    signs_in: bool = False
    composed: Callable[[Tree], Tree] | None = None
    shown_once: str = ""


_HOOK_PLACES = (
    (hook_routes.OF_PROJECT, Permission.CONTRIBUTE),
    (hook_routes.OF_ACCOUNT, Permission.ADMINISTER),
)


def _forms_of_hooks(place: str) -> tuple[Form, ...]:
    """Return the forms of the hooks below a path."""
    hook = f"{place}/{{hook_id}}"
    return (
        Form("POST", place, page=place),
        Form("PUT", hook, page=hook, then=f"{hook}?{SAVED}"),
        Form("DELETE", hook, page=hook, then=place),
        Form("POST", f"{hook}/secret", page=hook),
        Form("POST", f"{hook}/ping", page=hook, then=f"{place}/{{hook_id}}#deliveries"),
        Form("POST", f"{hook}/redeliver", page=hook, then=f"{hook}#deliveries"),
        Form(
            "POST",
            f"{hook}/deliveries/{{delivery_id}}/redeliver",
            page=hook,
            then=f"{hook}#deliveries",
        ),
    )


def _pages_of_bins(place: str, reads: Permission, writes: Permission) -> tuple[Page, ...]:
    """Return the pages of the bins below a path."""
    return (
        Page(place, "bins.html", bins.list_all, reads),
        Page(f"{place}/new", "bin.html", bins.new, writes),
        Page(f"{place}/{{id}}", "tickets.html", ticket_list.of_bin, reads),
        Page(f"{place}/{{id}}/edit", "bin.html", bins.edit, writes),
    )


def _forms_of_bins(place: str) -> tuple[Form, ...]:
    """Return the forms of the bins below a path."""
    each = f"{place}/{{id}}"
    return (
        Form("POST", place, page=f"{place}/new", then=each),
        Form("PUT", each, page=f"{each}/edit", then=each, guard=bins.check_seen),
        Form("DELETE", each, page=f"{each}/edit", then=place),
    )


NEW_BULK_EDIT = f"{PROJECT}/bulk_edits/new"

PAGES: tuple[Page, ...] = (
    Page("/", "dashboard.html", dashboard.get, Permission.PUBLIC),
    Page("/menu", "menu.html", dashboard.menu, Permission.PUBLIC),
    Page("/projects", "projects.html", projects.list_all, Permission.PUBLIC),
    Page("/projects/new", "project_new.html", projects.new, Permission.CREATE_PROJECT),
    Page(PROJECT, "project.html", projects.get),
    Page(SETTINGS, "settings.html", settings.get, Permission.UNARCHIVE),
    Page(MEMBERSHIPS, "memberships.html", memberships.list_all),
    Page(f"{MEMBERSHIP}/delete", "membership_delete.html", memberships.removal, Permission.CONTRIBUTE),
    Page(USER, "user.html", users.get, Permission.SIGNED_IN),
    Page(ADMINISTRATION, "administration.html", administration.get, Permission.ADMINISTER),
    Page(AUDIT, "audit.html", audit.list_all, Permission.ADMINISTER),
    Page(BACKLOG, "backlog.html", administration.backlog, Permission.ADMINISTER),
    Page(f"{PERSON}/delete", "person_delete.html", administration.removal, Permission.ADMINISTER),
    Page(REMOVED, "removed.html", administration.removed, Permission.ADMINISTER),
    Page(PLACEHOLDERS, "placeholders.html", administration.placeholders_found, Permission.ADMINISTER),
    Page(service.SERVICE_USERS, "service_users.html", service_users.list_all, Permission.ADMINISTER),
    Page(service.SERVICE_USER, "service_user.html", service_users.get, Permission.ADMINISTER),
    Page(IMPORTS, "imports.html", moving_in.list_all, Permission.ADMINISTER),
    Page(IMPORT, "import.html", moving_in.get, Permission.ADMINISTER),
    Page(INVITATIONS, "invitations.html", administration.list_invitations, Permission.ADMINISTER),
    Page(WELCOME, "invitation.html", administration.welcome, Permission.CAPABILITY_LINK),
    Page(SET_UP, "set_up.html", administration.set_up, Permission.CAPABILITY_LINK),
    Page(VERIFICATION, "verification.html", mail.verification, Permission.CAPABILITY_LINK),
    Page(UNSUBSCRIBE, "unsubscribe.html", mail.unsubscribe, Permission.CAPABILITY_LINK),
    Page(SIGN_UP, "sign_up.html", sign_ups.ask, Permission.PUBLIC),
    Page(SIGN_UP_LINK, "new_person.html", sign_ups.finish, Permission.CAPABILITY_LINK),
    Page(APPLICANTS, "applicants.html", sign_ups.waiting, Permission.ADMINISTER),
    Page(PASSWORD_RESETS, "password_reset.html", mail.request_password_reset, Permission.PUBLIC),
    Page(PASSWORD_RESET, "new_password.html", mail.new_password, Permission.CAPABILITY_LINK),
    Page(MAILS, "mails.html", mail.list_all, Permission.ADMINISTER),
    Page(PROFILE, "profile.html", profile.get, Permission.IN_PERSON),
    Page(TOKENS, "tokens.html", profile.list_tokens, Permission.IN_PERSON),
    Page(f"{TOKEN_REQUESTS}/new", "token_request.html", profile.token_request, Permission.IN_PERSON),
    Page(TIME_CODES, "time_codes.html", factors.time_codes, Permission.IN_PERSON),
    Page(RECOVERY_CODES, "recovery_codes.html", factors.recovery_codes, Permission.IN_PERSON),
    Page(NOTIFICATIONS, "notifications.html", notifications.list_all, Permission.SIGNED_IN),
    Page(FEEDS, "feeds.html", profile.list_feeds, Permission.IN_PERSON),
    Page(f"{TICKETS}/new", "ticket_new.html", ticket.new, Permission.COMMENT),
    Page(TICKET, "ticket.html", ticket.get),
    Page(f"{TICKET}/edit", "ticket_edit.html", ticket_edit.get, Permission.CONTRIBUTE),
    Page(f"{TICKET}/delete", "ticket_delete.html", ticket.removal, Permission.CONTRIBUTE),
    Page(VERSION, "text.html", ticket.text),
    Page(f"{VERSION}/edit", "version_edit.html", ticket.comment, Permission.COMMENT),
    Page(f"{VERSION}/delete", "version_delete.html", ticket.comment, Permission.COMMENT),
    Page(f"{VERSION}/texts", "earlier_texts.html", ticket.earlier_texts),
    Page(TEMPLATES, "ticket_templates.html", ticket_templates.list_all),
    Page(f"{TEMPLATES}/new", "ticket_template.html", ticket_templates.new, Permission.CONTRIBUTE),
    Page(TEMPLATE, "ticket_template.html", ticket_templates.edit, Permission.CONTRIBUTE),
    Page("/query", "query.html", ticket_list.query_help, Permission.PUBLIC),
    Page("/tickets", "tickets.html", ticket_list.list_all, Permission.PUBLIC),
    Page(TICKETS, "tickets.html", ticket_list.list_all),
    Page("/tickets/filter", "ticket_filters.html", ticket_filters.get, Permission.PUBLIC),
    Page(f"{TICKETS}/filter", "ticket_filters.html", ticket_filters.get),
    Page("/board", "board.html", boards.get, Permission.PUBLIC),
    Page(f"{PROJECT}/board", "board.html", boards.get),
    Page(f"{PROJECT}/tags", "tags.html", projects.tags_of_project),
    *_pages_of_bins(BINS, Permission.VIEW, Permission.CONTRIBUTE),
    *_pages_of_bins(BINS_OF_ACCOUNT, Permission.SIGNED_IN, Permission.SIGNED_IN),
    Page(NEW_BULK_EDIT, "bulk_edit_new.html", bulk_edits.new, Permission.CONTRIBUTE),
    Page(BULK_EDIT, "bulk_edit.html", bulk_edits.get),
    Page("/bulk_edits/new", "bulk_edit_new.html", account_bulk_edits.new, Permission.SIGNED_IN),
    Page(BULK_EDIT_OF_ACCOUNT, "account_bulk_edit.html", account_bulk_edits.get, Permission.PUBLIC),
    Page("/activity", "activity.html", activities.list_across_projects, Permission.PUBLIC),
    Page(f"{PROJECT}/activity", "activity.html", activities.list_all),
    Page("/milestones", "milestones.html", milestones.list_across_projects, Permission.PUBLIC),
    Page(MILESTONES, "milestones.html", milestones.list_all),
    Page(f"{MILESTONES}/new", "milestone_new.html", milestones.new, Permission.CONTRIBUTE),
    Page(MILESTONE, "milestone.html", milestones.get),
    Page(f"{MILESTONE}/edit", "milestone_edit.html", milestones.edit, Permission.CONTRIBUTE),
    Page(f"{MILESTONE}/delete", "milestone_delete.html", milestones.edit, Permission.CONTRIBUTE),
    Page(MESSAGES, "messages.html", messages.list_all),
    Page(f"{MESSAGES}/new", "message_new.html", messages.new, Permission.CONTRIBUTE),
    Page(MESSAGE, "message.html", messages.get),
    Page(f"{MESSAGE}/text", "text.html", messages.text),
    Page(f"{MESSAGE}/texts", "earlier_texts.html", messages.earlier_texts),
    Page(f"{MESSAGE}/edit", "message_edit.html", messages.edit, Permission.CONTRIBUTE),
    Page(f"{MESSAGE}/delete", "message_delete.html", messages.edit, Permission.CONTRIBUTE),
    Page(CHANGESETS, "changesets.html", changesets.list_all),
    Page(f"{CHANGESETS}/new", "changeset_new.html", changesets.new, Permission.CONTRIBUTE),
    Page(CHANGESET, "changeset.html", changesets.get),
    *(Page(place, "hooks.html", hooks.list_all, permission) for place, permission in _HOOK_PLACES),
    *(Page(f"{place}/{{hook_id}}", "hook.html", hooks.get, permission) for place, permission in _HOOK_PLACES),
    Page(SPAM_REMOVALS, "spam.html", spam.list_all, Permission.ADMINISTER),
    Page(HELD_TEXTS, "held_texts.html", held_texts.list_all, Permission.CUSTOMIZE),
    Page(hook_routes.FORGES, "forges.html", forges.list_all, Permission.CONTRIBUTE),
    Page(f"{CHANGESET}/delete", "changeset_delete.html", changesets.to_delete, Permission.CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    Form("POST", "/projects", page="/projects/new"),
    Form("DELETE", PROJECT, page=SETTINGS, then="/projects", guard=settings.check_name),
    Form(
        "PUT",
        SETTINGS,
        page=SETTINGS,
        then=f"{SETTINGS}?{SAVED}",
        guard=settings.check_seen,
        composed=settings.composed,
    ),
    Form("POST", MEMBERSHIPS, page=MEMBERSHIPS, then=f"{MEMBERSHIPS}?added={{user_id}}"),
    Form("DELETE", MEMBERSHIP, page=f"{MEMBERSHIP}/delete", then=f"{MEMBERSHIPS}?removed={{id}}"),
    Form("POST", RESTORED_MEMBERSHIP, page=MEMBERSHIPS, then=f"{MEMBERSHIPS}?added={{user_id}}"),
    Form("PUT", ACCOUNT, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("POST", IMPORTS, page=IMPORTS),
    Form("PUT", IMPORT, page=IMPORT, then=IMPORT, composed=moving_in.composed),
    Form("POST", f"{IMPORT}/start", page=IMPORT, then=IMPORT),
    Form("DELETE", IMPORT, page=IMPORT, then=IMPORTS),
    Form("POST", INVITATIONS, page=ADMINISTRATION),
    Form("POST", INVITATION_BATCH, page=ADMINISTRATION),
    Form("DELETE", INVITATION, page=ADMINISTRATION),
    Form("PUT", PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("PUT", PLACEHOLDER, page=PLACEHOLDERS, then=f"{PLACEHOLDERS}?{SAVED}"),
    Form("POST", service.SERVICE_USERS, page=service.SERVICE_USERS, then=f"{service.SERVICE_USERS}/{{id}}"),
    Form("PUT", service.SERVICE_USER, page=service.SERVICE_USER, then=f"{service.SERVICE_USER}?{SAVED}"),
    Form("POST", service.TOKENS, page=service.SERVICE_USER),
    Form("POST", service.REPLACED_TOKEN, page=service.SERVICE_USER),
    Form("DELETE", service.TOKEN, page=service.SERVICE_USER, then=service.SERVICE_USER),
    Form("DELETE", PERSON, page=f"{PERSON}/delete", then=f"{ADMINISTRATION}?removed={{id}}"),
    Form("POST", RESTORED_PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("DELETE", SESSIONS_OF_PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("POST", WELCOME, page=WELCOME, then="/", signs_in=True),
    Form("POST", SET_UP, page=SET_UP, then="/", signs_in=True),
    Form("PUT", PROFILE, page=PROFILE, then=f"{PROFILE}?{SAVED}", guard=profile.check_seen),
    Form("POST", TOKENS, page=PROFILE),
    Form("DELETE", TOKENS, page=TOKENS, then=f"{PROFILE}#tokens"),
    Form("POST", REPLACED_TOKEN, page=PROFILE),
    Form("POST", TOKEN_REQUESTS, page=f"{TOKEN_REQUESTS}/new"),
    Form("DELETE", TOKEN, page=PROFILE, then=f"{PROFILE}#tokens"),
    Form("POST", FEEDS, page=FEEDS),
    Form("DELETE", FEED, page=FEEDS, then=FEEDS),
    Form("PUT", PREFERENCES, page=PROFILE, then=f"{PROFILE}?{SAVED}"),
    Form("POST", OWN_VERIFICATION, page=PROFILE, then=f"{PROFILE}?{SAVED}#mail"),
    Form("POST", VERIFICATION, page=VERIFICATION, then="/"),
    Form("POST", UNSUBSCRIBE, page=UNSUBSCRIBE, then=UNSUBSCRIBE),
    Form("DELETE", UNSUBSCRIBE_LINK, page=PROFILE, then=f"{PROFILE}?{SAVED}#mail"),
    Form("POST", SIGN_UP, page=SIGN_UP, then=f"{SIGN_UP}?done=mailed"),
    Form("POST", SIGN_UP_LINK, page=SIGN_UP_LINK, then=f"{SIGN_UP}?done={{state}}", signs_in=True),
    Form("POST", DECISION, page=APPLICANTS, then=f"{APPLICANTS}?{SAVED}"),
    Form("POST", PASSWORD_RESETS, page=PASSWORD_RESETS, then=f"{PASSWORD_RESETS}?{SAVED}"),
    Form("POST", PASSWORD_RESET, page=PASSWORD_RESET, then="/", signs_in=True),
    Form("DELETE", MAIL, page=MAILS, then=MAILS),
    Form("POST", f"{MAIL}/retry", page=MAILS, then=MAILS),
    Form("PUT", OWN_AVATAR, page=PROFILE, then=f"{PROFILE}#picture"),
    Form("DELETE", OWN_AVATAR, page=PROFILE, then=f"{PROFILE}#picture"),
    Form("DELETE", SESSIONS, page=PROFILE, then=f"{PROFILE}#browsers"),
    Form("DELETE", f"{SESSIONS}/{{id}}", page=PROFILE, then=f"{PROFILE}#browsers"),
    Form("POST", TIME_CODES, page=TIME_CODES),
    Form("PUT", TIME_CODES, page=TIME_CODES),
    Form("DELETE", TIME_CODES, page=PROFILE, then=f"{PROFILE}#factors"),
    Form("POST", RECOVERY_CODES, page=RECOVERY_CODES),
    Form("DELETE", FACTORS_OF_PERSON, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("DELETE", IDENTITY, page=PROFILE, then=f"{PROFILE}#providers"),
    Form("POST", PASSKEYS, page=TIME_CODES, then=f"{PROFILE}#passkeys", shown_once="recovery_codes"),
    Form("PUT", PASSKEY, page=PROFILE, then=f"{PROFILE}#passkeys"),
    Form("DELETE", PASSKEY, page=PROFILE, then=f"{PROFILE}#passkeys"),
    Form("PUT", "/profile/password", page=PROFILE, then=f"{PROFILE}?{SAVED}"),
    Form("PUT", NOTIFICATION, page=NOTIFICATIONS, then=NOTIFICATIONS),
    Form("POST", READ, page=NOTIFICATIONS, then=f"{NOTIFICATIONS}?marked={{id}}&count={{count}}"),
    Form("POST", READ_UNDO, page=NOTIFICATIONS, then=NOTIFICATIONS),
    Form("PUT", LEVEL, page=PROJECT, then=f"{PROJECT}?{SAVED}"),
    Form("PUT", MUTE, page=TICKET, then=TICKET),
    Form("POST", CLAIM, page=TICKET, then=TICKET),
    Form("DELETE", CLAIM, page=TICKET, then=TICKET),
    Form("POST", TICKETS, page=f"{TICKETS}/new"),
    Form("PUT", TICKET, page=TICKET, guard=ticket.check),
    Form("POST", LINKS, page=TICKET, then=TICKET),
    Form("DELETE", LINK, page=TICKET, then=TICKET),
    Form("POST", TEMPLATES, page=f"{TEMPLATES}/new", then=TEMPLATES),
    Form("PUT", TEMPLATE, page=TEMPLATE, then=TEMPLATES, guard=ticket_templates.check_seen),
    Form("DELETE", TEMPLATE, page=TEMPLATE, then=TEMPLATES),
    Form("DELETE", TICKET, page=f"{TICKET}/delete", then=TICKETS),
    Form(
        "PUT",
        VERSION,
        page=f"{VERSION}/edit",
        then=f"{TICKET}#v{{version}}",
        guard=edit_conflicts.check_version,
    ),
    Form("DELETE", f"{VERSION}/texts/{{text}}", page=f"{VERSION}/texts", then=f"{VERSION}/texts"),
    Form("DELETE", f"{MESSAGE}/texts/{{text}}", page=f"{MESSAGE}/texts", then=f"{MESSAGE}/texts"),
    Form("DELETE", VERSION, page=f"{VERSION}/delete", then=TICKET),
    Form("PUT", OWN_LIST, page=TICKETS),
    Form("PUT", OWN_LIST_OF_ALL, page="/tickets"),
    *_forms_of_bins(BINS),
    *_forms_of_bins(BINS_OF_ACCOUNT),
    Form("POST", f"{PROJECT}/bulk_edit", page=NEW_BULK_EDIT, guard=bulk_dry_run.check),
    Form("POST", f"{BULK_EDIT}/undo", page=BULK_EDIT),
    Form("POST", "/bulk_edit", page="/bulk_edits/new", guard=account_bulk_edits.check),
    Form("POST", f"{BULK_EDIT_OF_ACCOUNT}/undo", page=BULK_EDIT_OF_ACCOUNT),
    Form("POST", MILESTONES, page=f"{MILESTONES}/new"),
    Form("PUT", MILESTONE, page=f"{MILESTONE}/edit", then=MILESTONE, guard=milestones.check_seen),
    Form("DELETE", MILESTONE, page=f"{MILESTONE}/delete", then=MILESTONES),
    Form("PUT", f"{MILESTONE}/close", page=MILESTONE),
    Form("PUT", f"{MILESTONE}/open", page=MILESTONE),
    Form("POST", MESSAGES, page=f"{MESSAGES}/new"),
    Form("PUT", MESSAGE, page=f"{MESSAGE}/edit", then=MESSAGE, guard=messages.check_seen),
    Form("DELETE", MESSAGE, page=f"{MESSAGE}/delete", then=MESSAGES),
    Form("POST", f"{MESSAGE}/comments", page=MESSAGE, then=f"{MESSAGES}/{{id}}#comment-{{id}}"),
    *(form for place, _ in _HOOK_PLACES for form in _forms_of_hooks(place)),
    Form("PUT", SPAM_REMOVAL, page=SPAM_REMOVALS, then=f"{SPAM_REMOVALS}?{SAVED}"),
    Form("POST", SPAM_UNDO, page=SPAM_REMOVALS, then=f"{SPAM_REMOVALS}?{SAVED}"),
    Form("POST", TEXT_DECISION, page=HELD_TEXTS, then=f"{HELD_TEXTS}?{SAVED}"),
    Form("POST", hook_routes.FORGES, page=hook_routes.FORGES),
    Form("POST", f"{hook_routes.FORGE}/secret", page=hook_routes.FORGES),
    Form("DELETE", hook_routes.FORGE, page=hook_routes.FORGES, then=hook_routes.FORGES),
    Form("PUT", hook_routes.SENDING, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
    Form("POST", CHANGESETS, page=f"{CHANGESETS}/new"),
    Form("DELETE", CHANGESET, page=f"{CHANGESET}/delete", then=CHANGESETS),
)

PAGES_BY_PATH: Mapping[str, Page] = {page.path: page for page in PAGES}
_PLACE = re.compile(r"(?<=\{)\w+(?=\})")
_SHAPES = {_PLACE.sub("", page.path) for page in PAGES}
_FORMS: Mapping[tuple[str, str], Form] = {(form.method, form.path): form for form in FORMS}


def has_page(address: str) -> bool:
    """Return whether a page has this path, regardless of the names of parameters."""
    return _PLACE.sub("", address) in _SHAPES


def form_for(route: Route) -> Form:
    """Return the form of a route, by default on the page with the same path."""
    return _FORMS.get((route.method, route.path)) or Form(route.method, route.path, page=route.path)


def endpoints() -> list[Endpoint]:
    """Return the endpoints of the API, followed by those that only have a page."""
    with_routes = routes.endpoints(ROUTES)
    known = {endpoint.path for endpoint in with_routes}
    return [*with_routes, *(Endpoint(page.path, (page.route,)) for page in PAGES if page.path not in known)]
