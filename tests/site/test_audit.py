"""The page of the log of security events."""

import re

import pytest

from skerry.store import audit as store
from skerry.tracker.audit import chain
from skerry.tracker.audit.audit import KINDS

LOG = "/administration/audit"


@pytest.fixture
def logged(world, ada, ben, roof, surfing):
    """A browser of Ada's, after she made a token and added Cy to the project."""
    web = surfing(ada)
    web.submit(web.get("/profile"), "/profile/tokens", **{"token[note]": "build"})
    person = world.person("dee", "member")
    ada.post(f"/projects/{roof}/memberships", {"membership": {"user_id": person.user_id}})
    chain.seal_new(world.database, [world.account_id])
    return web


def test_the_log_is_linked_where_the_account_is_administered(logged):
    assert LOG in dict(logged.get("/administration").reading.links)


def test_the_log_says_who_did_what_by_which_credential(logged):
    page = logged.get(LOG)
    assert "Token created" in page.text
    assert "Member added: Dee" in page.text
    assert "Signed in" in page.text
    assert "session " in page.text


def test_the_log_names_the_people_in_what_is_told_of_an_event(logged, world, ben):
    logged.submit(logged.get("/administration"), f"/people/{ben.user_id}/sessions")
    chain.seal_new(world.database, [world.account_id])
    text = logged.get(LOG).text
    assert "Person: Ben" in text
    assert f"Person: {ben.user_id}" not in text


def test_the_log_is_filtered_by_what_happened_and_by_whom(logged, ada, ben):
    tokens = logged.get(f"{LOG}?kind=token.created")
    assert tokens.source.count("<li data-row") == 1
    assert logged.get(f"{LOG}?user_id={ada.user_id}").source.count("<li data-row") > 2
    assert "Nothing of that is in the log." in logged.get(f"{LOG}?user_id={ben.user_id}").text
    assert logged.get(f"{LOG}?kind=nothing").status == 422


def test_the_log_is_paged_and_keeps_its_filter(logged, world, ada):
    for _ in range(31):
        ada.post("/projects", {"project": {"name": "Boat"}})
    chain.seal_new(world.database, [world.account_id])
    page = logged.get(f"{LOG}?kind=project.created")
    assert "Page 1 of 2" in page.text
    assert "kind=project.created&page=2" in " ".join(dict(page.reading.links))
    assert "Page 2 of 2" in logged.get(f"{LOG}?kind=project.created&page=2").text


def test_an_entry_without_what_was_personal_is_shown(logged, world, ada):
    with world.write() as transaction:
        store.erase(transaction, ada.user_id)
    assert "Token created" in logged.get(LOG).text


def test_the_log_can_be_filtered_by_every_kind(logged):
    source = logged.get(LOG).source
    assert [kind for kind in KINDS if f'<option value="{kind}">' not in source] == []


def test_the_log_has_words_for_every_kind_and_field(logged, world, ada, roof):
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    chain.seal_new(world.database, [world.account_id])
    logged.cookies["skerry-language"] = "de"
    page = logged.get(LOG)
    assert "Öffentlich: nein → ja" in page.text
    assert [kind for kind in KINDS if f">{kind}</option>" in page.source] == []
    assert re.findall(r'class="small">[a-z_]+[:<]', page.source) == []


def test_only_administrators_see_the_log(surfing, ben, cy):
    assert [surfing(each).get(LOG).status for each in (ben, cy)] == [403, 403]
    assert surfing().get(LOG).path.startswith("/sign-in")
