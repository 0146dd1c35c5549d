"""Rows of templates of tickets."""

from skerry.resources.ticket_templates import TicketTemplate
from skerry.store.table_rows import Rows
from skerry.store.tables import ticket_templates

ROWS = Rows(TicketTemplate, ticket_templates, changes=("name", "title", "body", "tag", "assigned_user_id"))
