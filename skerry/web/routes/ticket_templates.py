"""The routes, pages and forms of the templates of tickets."""

from skerry.resources.ticket_templates import TicketTemplate
from skerry.tracker import ticket_templates
from skerry.web.route import CONTRIBUTE, EMPTY, LIST, PROJECT, VIEW, Route
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import ticket_templates as template_pages

TEMPLATES = f"{PROJECT}/templates"
TEMPLATE = f"{TEMPLATES}/{{id}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", TEMPLATES, ticket_templates.list_all, VIEW, TicketTemplate, LIST),
    Route(
        "POST",
        TEMPLATES,
        ticket_templates.create,
        CONTRIBUTE,
        TicketTemplate,
        location=TEMPLATE,
        draft=TicketTemplate,
    ),
    Route("GET", f"{TEMPLATES}/new", ticket_templates.new, CONTRIBUTE, TicketTemplate),
    Route("GET", TEMPLATE, ticket_templates.get, VIEW, TicketTemplate),
    Route("PUT", TEMPLATE, ticket_templates.update, CONTRIBUTE, TicketTemplate, draft=TicketTemplate),
    Route("DELETE", TEMPLATE, ticket_templates.delete, CONTRIBUTE, TicketTemplate, EMPTY),
)

PAGES: tuple[Page, ...] = (
    Page(TEMPLATES, "ticket_templates.html", template_pages.list_all),
    Page(f"{TEMPLATES}/new", "ticket_template.html", template_pages.new, CONTRIBUTE),
    Page(TEMPLATE, "ticket_template.html", template_pages.edit, CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    Form("POST", TEMPLATES, page=f"{TEMPLATES}/new", then=TEMPLATES),
    Form("PUT", TEMPLATE, page=TEMPLATE, then=TEMPLATES, guard=template_pages.check_seen),
    Form("DELETE", TEMPLATE, page=TEMPLATE, then=TEMPLATES),
)
