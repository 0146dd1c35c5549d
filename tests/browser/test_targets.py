"""Everything on a page is large enough to be clicked and tapped, with much in it."""

import pytest

from skerry.web.routes.pages import PAGES
from tests.support.route_matrix import Account
from tests.support.targets import cramped

LONG = "The gutter above the western entrance leaks whenever the wind turns to the north " * 2
TAGS = "wet roof insurance a b c d e1 copper-and-zinc 'two words'"
TEXT = f"{LONG}\n\n- [ ] one\n- [x] two\n\n#1 #2 #3\n\n    {LONG}"

_UNFOLD = """document.querySelectorAll("details:not(.menu, .bulk)").forEach((each) => (each.open = true))"""


@pytest.fixture
def site(world, ada, ben):
    """A project with several of everything in it, long and short ones beside and below one another."""
    site = Account(world, "beacon", kinds=["public"]).sites["public"]
    project = f"/projects/{site.values['projects']}"
    milestone = ada.post(f"{project}/milestones", {"milestone": {"title": LONG, "goals": TEXT}}).item["id"]
    mine = {"milestone_id": milestone, "assigned_user_id": ada.user_id, "tag": TAGS, "body": TEXT}
    for number in range(31):
        ada.post(f"{project}/tickets", {"ticket": {**mine, "title": LONG if number % 2 else "a"}})
    for client in (ada, ben, ada, ben):
        client.put(f"{project}/tickets/1", {"ticket": {"body": TEXT, "tag": f"{TAGS} {client.user_id}"}})
    for name in ("a", "b", f"a {LONG}", f"b {LONG}"):
        ada.post(f"{project}/bins", {"ticket_bin": {"name": name, "query": "leak", "shared": True}})
        ada.post(f"{project}/messages", {"message": {"title": name, "body": TEXT}})
        ada.post(f"{project}/changesets", {"changeset": {"revision": name[:9], "title": name}})
        ada.post("/projects", {"project": {"name": name}})
        ada.post("/profile/tokens", {"token": {"note": name}})
    return site


def test_everything_that_is_clicked_is_large_enough_or_has_room_around_it(opened, site, ada):
    page, found = opened(ada, "/sign-in"), {}
    project = f"/projects/{site.values['projects']}"
    bulk_edit = f"{project}/bulk_edit/new?of=found&q=sort:number&command=tagged:dry"
    addresses = [*(site.path(each.route) for each in PAGES), bulk_edit]
    for address in [*addresses, f"{project}/tickets?page=2", "/tickets?page=2", f"{project}/tickets?q=no:x"]:
        page.goto(address)
        page.evaluate(_UNFOLD)
        found[address] = cramped(page)
    assert {address: small for address, small in found.items() if small} == {}
