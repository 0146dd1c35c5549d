"""The page of texts that wait until a member releases them."""

from skerry.tracker import held_texts
from skerry.tracker.context import Context, Params
from skerry.web.site.pages import Content
from skerry.web.site.pages.lists import existing_page

_ON_A_PAGE = 30


def list_all(context: Context, params: Params) -> Content:
    """Return a page of the texts that wait, for others than members only their own."""
    page = params.page._replace(limit=_ON_A_PAGE)
    results, page = existing_page(page, lambda page: held_texts.list_all(context, Params(page=page)))
    address = f"/projects/{context.project_id}/held-texts"
    return {"listing": results, "page": page, "address": address, "is_sent": "sent" in params.query}
