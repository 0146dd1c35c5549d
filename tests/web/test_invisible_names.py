"""Invisible names are refused everywhere."""

import pytest

from skerry.visibility import is_visible
from tests.conftest import PASSWORD
from tests.support.client import basic
from tests.support.route_matrix import Account

pytestmark = pytest.mark.matrix("both")

INVISIBLE = [
    "\u200b", "\u3164", "\u2800", "\ufeff", "\u00ad", "\u202e", "\u115f", "\u1160", "\uffa0", "\ufe0f",
    "\U000e0041\U000e007f", "\U000e0100", "\u034f", "\u180e", "\u2060", "\u2063", "\u3000\u200d", "\u17b4",
    "\ufffc", "\U0001d159", "\u00a0\u3164 \u2800", "\u0301", "\u061c", "\u2065",
]  # fmt: skip
VISIBLE = [
    "a",
    "0",
    "!",
    "\u2603",
    "\U0001f440",
    "\U0001fae8",
    "\u0e01",
    "\u05d0",
    "\u200bx",
    "\u20ac",
    "\ue000",
]


@pytest.mark.parametrize("name", INVISIBLE)
def test_a_title_needs_a_visible_character(ada, roof, name):
    assert not is_visible(name)
    refused = ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": name}})
    assert (refused.status, refused.errors) == (422, ["Title can't be blank"])


@pytest.mark.parametrize("name", VISIBLE)
def test_one_visible_character_is_enough(ada, roof, name):
    assert ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": name}}).item["title"] == name


NAMED = {
    "/projects": {"project": {"name": "\u3164"}},
    "/projects/{}/milestones": {"milestone": {"title": "\u3164"}},
    "/projects/{}/messages": {"message": {"title": "\u3164", "body": "x"}},
    "/projects/{}/bins": {"ticket_bin": {"name": "\u3164", "query": "state:open"}},
    "/projects/{}/hooks": {"hook": {"url": "https://receiver.example/", "note": "\u3164"}},
    "/profile/tokens": {"token": {"note": "\u3164"}},
    "/profile/feeds": {"feed": {"kind": "activity", "note": "\u3164"}},
    "/invitations": {"invitation": {"email": "dora@example.org", "role": "member", "name": "\u3164"}},
}


@pytest.mark.parametrize("path", NAMED)
def test_everything_with_a_name_needs_a_visible_one(world, roof, path):
    ada = world.client(**basic(world.people["ada"].email, PASSWORD))
    refused = ada.post(path.format(roof), NAMED[path])
    assert (refused.status, len(refused.errors)) == (422, 1)
    assert refused.errors[0].endswith(" can't be blank")


@pytest.mark.parametrize(
    ("path", "root", "field"),
    [
        ("/projects/{projects}", "project", "name"),
        ("/projects/{projects}/settings", "settings", "name"),
        ("/projects/{projects}/tickets/{tickets}", "ticket", "title"),
        ("/projects/{projects}/milestones/{milestones}", "milestone", "title"),
        ("/projects/{projects}/messages/{messages}", "message", "title"),
        ("/projects/{projects}/bins/{bins}", "bin", "name"),
        ("/profile", "user", "name"),
        ("/profile", "user", "job"),
        ("/account", "account", "name"),
    ],
)
def test_a_name_cannot_become_invisible_later(world, path, root, field):
    site = Account(world, "opal", ["private"]).sites["private"]
    ada = world.client(**basic(world.people["ada"].email, PASSWORD))
    refused = ada.put(path.format(**site.values), {root: {field: "\u200b\u2800"}})
    assert (refused.status, refused.errors) == (422, [f"{field.capitalize()} can't be blank"])


def test_old_invisible_names_stay_as_long_as_nobody_changes_them(world, ada, roof, leak):
    with world.write() as transaction:
        for table, column in (("tickets", "title"), ("projects", "name")):
            transaction.adjust(
                f"UPDATE {table} SET {column} = '\u3164' WHERE account_id = {world.account_id}"
            )
    assert ada.put(leak, {"ticket": {"title": "\u3164", "body": "Still here"}}).item["title"] == "\u3164"
    assert ada.put(f"/projects/{roof}", {"project": {"name": "\u3164", "public": True}}).status == 200
    assert ada.put(leak, {"ticket": {"title": "\u2800"}}).errors == ["Title can't be blank"]


def test_invisible_tags_are_left_out_and_states_refused(ada, roof, leak):
    assert ada.put(leak, {"ticket": {"tag": "\u3164 wet"}}).item["tag"] == "wet"
    assert ada.put(leak, {"ticket": {"body": "[tagged:\u3164]"}}).item["tag"] == "wet"
    refused = ada.put(f"/projects/{roof}/settings", {"settings": {"open_states": "\u3164/f17"}})
    assert (refused.status, refused.errors) == (422, ["States can't have a name without a visible character"])
