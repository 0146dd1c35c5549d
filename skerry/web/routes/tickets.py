"""The routes, pages and forms of tickets, their links, claims and files, and finding them."""

from skerry.resources.claims import Claim
from skerry.resources.links import TicketLink
from skerry.resources.suggestions import Suggestion
from skerry.resources.texts import Preview
from skerry.resources.tickets import Attachment, Ticket
from skerry.tracker import attachments, claims, held_texts, links, mentions, search, suggestions, tickets
from skerry.tracker.texts import rendering
from skerry.web.route import (
    COMMENT,
    CONTRIBUTE,
    EMPTY,
    FILE,
    LIST,
    PAGE,
    PROJECT,
    PUBLIC,
    TICKET,
    TICKETS,
    VIEW,
    Parts,
    Route,
)
from skerry.web.routes.page import Form, Page
from skerry.web.routes.versions import VERSIONS
from skerry.web.site.pages import boards, ticket, ticket_edit, ticket_filters, ticket_list

SUGGEST = f"{PROJECT}/query/suggest"
MENTIONS = f"{PROJECT}/mentions/suggest"
NAMED_TICKETS = f"{PROJECT}/tickets/suggest"
CLAIM = f"{TICKET}/claim"
LINKS = f"{TICKET}/links"
LINK = f"{LINKS}/{{id}}"
ATTACHMENT = "/attachments/{id}/{filename}"
_WATCHERS = ("multiple_watchers", "watching")
_SEARCH = ("q",)
_WORKER = ("worker",)
_TYPED = ("q", "caret", "language")

ROUTES: tuple[Route, ...] = (
    Route("GET", "/tickets", tickets.list_all, PUBLIC, Ticket, PAGE, extra_params=_SEARCH),
    Route("GET", TICKETS, tickets.list_all, VIEW, Ticket, PAGE, extra_params=_SEARCH),
    Route(
        "POST",
        TICKETS,
        tickets.create,
        COMMENT,
        Ticket,
        location=TICKET,
        draft=Ticket,
        extra_params=_WATCHERS,
        files=True,
        hold=held_texts.hold_ticket,
    ),
    Route("GET", f"{TICKETS}/new", tickets.new, COMMENT, Ticket),
    Route("GET", TICKET, tickets.get, VIEW, Ticket, parts=Parts(VERSIONS, "version-history")),
    Route(
        "PUT",
        TICKET,
        tickets.update,
        COMMENT,
        Ticket,
        draft=Ticket,
        extra_params=_WATCHERS,
        files=True,
        hold=held_texts.hold_comment,
    ),
    Route("DELETE", TICKET, tickets.delete, CONTRIBUTE, Ticket, EMPTY),
    Route("GET", LINKS, links.list_all, VIEW, TicketLink, LIST),
    Route("POST", LINKS, links.create, CONTRIBUTE, TicketLink, location=LINK, draft=TicketLink),
    Route("GET", LINK, links.get, VIEW, TicketLink),
    Route("DELETE", LINK, links.delete, CONTRIBUTE, TicketLink, EMPTY),
    Route("GET", CLAIM, claims.get, VIEW, Claim),
    Route("POST", CLAIM, claims.create, CONTRIBUTE, Claim, draft=Claim),
    Route("DELETE", CLAIM, claims.delete, CONTRIBUTE, Claim, EMPTY, extra_params=_WORKER),
    Route("GET", ATTACHMENT, attachments.found, PUBLIC, Attachment, FILE),
    Route("GET", SUGGEST, suggestions.list_all, VIEW, Suggestion, LIST, extra_params=_TYPED, quick=False),
    Route("GET", MENTIONS, mentions.suggest, COMMENT, Suggestion, LIST, extra_params=_SEARCH),
    Route("GET", NAMED_TICKETS, search.suggest, VIEW, Suggestion, LIST, extra_params=_SEARCH, quick=False),
    Route("POST", f"{PROJECT}/preview", rendering.preview, COMMENT, Preview, draft=Preview, reads_only=True),
    Route(
        "GET",
        "/query/suggest",
        suggestions.list_across_projects,
        PUBLIC,
        Suggestion,
        LIST,
        extra_params=_TYPED,
    ),
)

PAGES: tuple[Page, ...] = (
    Page(f"{TICKETS}/new", "ticket_new.html", ticket.new, COMMENT),
    Page(TICKET, "ticket.html", ticket.get),
    Page(f"{TICKET}/edit", "ticket_edit.html", ticket_edit.get, CONTRIBUTE),
    Page(f"{TICKET}/delete", "ticket_delete.html", ticket.removal, CONTRIBUTE),
    Page("/query", "query.html", ticket_list.query_help, PUBLIC),
    Page("/tickets", "tickets.html", ticket_list.list_all, PUBLIC),
    Page(TICKETS, "tickets.html", ticket_list.list_all),
    Page("/tickets/filter", "ticket_filters.html", ticket_filters.get, PUBLIC),
    Page(f"{TICKETS}/filter", "ticket_filters.html", ticket_filters.get),
    Page("/board", "board.html", boards.get, PUBLIC),
    Page(f"{PROJECT}/board", "board.html", boards.get),
)

FORMS: tuple[Form, ...] = (
    Form("POST", CLAIM, page=TICKET, then=TICKET),
    Form("DELETE", CLAIM, page=TICKET, then=TICKET),
    Form("POST", TICKETS, page=f"{TICKETS}/new"),
    Form("PUT", TICKET, page=TICKET, guard=ticket.check),
    Form("POST", LINKS, page=TICKET, then=TICKET),
    Form("DELETE", LINK, page=TICKET, then=TICKET),
    Form("DELETE", TICKET, page=f"{TICKET}/delete", then=TICKETS),
)
