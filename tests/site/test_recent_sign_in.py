"""Changes of who may do what need a recent sign-in; everything else does not."""

import pytest

from skerry.database.transactions import HOUR
from skerry.resources.auth import Token, TokenRequest
from skerry.tracker.access import Permission
from skerry.web.routes.table import ROUTES
from tests.conftest import PASSWORD
from tests.support.forms import file
from tests.support.resources import placeholder

AGAIN = "Sign in again to change this"

# Records that may be changed from any session, because they open nothing to whoever changes them. What
# members write in a project is not among them: its permission says so.
WRITTEN = (Permission.COMMENT, Permission.CONTRIBUTE)
PROJECTS = {"AccountBulkEdit", "Project", "ProjectSettings", "TicketBin"}
OWN = {
    *("ListSettings", "Marking", "Notification", "Preferences", "Subscription", "User", "Verification"),
    # It asks for the present password.
    "Password",
}
SENDING = {"Delivery", "IncomingMailResult", "Mail", "Redelivery", "Sending"}


@pytest.fixture
def later(world, monkeypatch):
    """Return a function that lets a little more than an hour pass."""

    def wait():
        now = world.database.clock()
        monkeypatch.setattr(world.database, "clock", lambda: now + HOUR + 1)

    return wait


def test_a_token_needs_the_password_again_and_is_then_made_from_what_was_entered(surfing, ada, later):
    web = surfing(ada)
    page = web.get("/profile")
    later()
    page = web.submit(page, "/profile/tokens", **{"token[note]": "night build"})
    assert (page.status, AGAIN in page.text) == (403, True)
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    page = web.submit(page, "/profile/tokens")
    assert "shown only once" in page.text
    assert "night build" in web.get("/profile").text


def test_a_role_is_not_changed_from_an_old_session(surfing, ada, ben, later):
    web = surfing(ada)
    place = f"/people/{ben.user_id}"
    page = web.get("/administration")
    later()
    page = web.submit(page, place, "put", **{"person[role]": "administrator"})
    assert (page.status, AGAIN in page.text) == (403, True)
    assert ada.get(place).item["role"] == "member"


def test_a_person_who_revokes_a_token_is_asked_too(surfing, ada, later):
    web = surfing(ada)
    page = web.get("/profile")
    action = next(form.action for form in page.reading.forms if form.action.endswith("/replace"))
    later()
    page = web.submit(page, action.removesuffix("/replace"), "delete")
    assert (page.status, AGAIN in page.text) == (403, True)
    page = web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    page = web.submit(page, action.removesuffix("/replace"))
    assert (page.status, page.path) == (200, "/profile")


def test_browsers_are_signed_out_from_a_recent_session_only(surfing, ada, later):
    web, other = surfing(ada), surfing(ada)
    page = web.get("/profile")
    later()
    refused = web.submit(page, "/profile/sessions")
    assert (refused.status, AGAIN in refused.text) == (403, True)
    assert other.get("/profile").path == "/profile"


def test_an_administrator_signs_somebody_out_of_every_browser(surfing, ada, ben, later):
    web, other = surfing(ada), surfing(ben)
    place, page = f"/people/{ben.user_id}/sessions", web.get("/administration")
    page = web.submit(page, place)
    assert (page.status, page.path) == (200, "/administration?saved")
    assert other.get("/profile").path.startswith("/sign-in")
    assert ben.get("/profile").status == 200, "tokens stay"
    later()
    assert AGAIN in web.submit(page, place).text


def test_tickets_are_changed_from_an_old_session(surfing, ada, roof, later):
    web = surfing(ada)
    page = web.get(f"/projects/{roof}/tickets/new")
    later()
    assert web.submit(page, f"/projects/{roof}/tickets", **{"ticket[title]": "It leaks"}).status == 200


def test_an_imported_person_is_not_given_away_from_an_old_session(world, surfing, ada, ben, later):
    with world.write() as transaction:
        emil = placeholder(transaction, "Emil", "acme/8")
    web = surfing(ada)
    page, place = web.get("/people/placeholders"), f"/people/placeholders/{emil}"
    later()
    given = {"placeholder[user_id]": str(ben.user_id)}
    page = web.submit(page, place, "put", **given)
    assert (page.status, AGAIN in page.text) == (403, True)
    assert ada.get(place).item["user_id"] is None
    web.submit(web.submit(page, "/sign-in", email=ada.email, password=PASSWORD), place, "put")
    assert ada.get(place).item["user_id"] == ben.user_id


def test_nothing_is_imported_from_an_old_session(surfing, ada, later):
    web = surfing(ada)
    page, sent = web.get("/imports"), {"import[kind]": "csv"}
    later()
    files = [file(b"id,Summary", "roof.csv", "text/csv", "file")]
    page = web.submit(page, "/imports", files=files, **sent)
    assert (page.status, AGAIN in page.text, ada.get("/imports").items) == (403, True, [])
    web.submit(page, "/sign-in", email=ada.email, password=PASSWORD)
    assert web.submit(web.get("/imports"), "/imports", files=files, **sent).status == 200
    assert [each["filename"] for each in ada.get("/imports").items] == ["roof.csv"]


def test_an_old_session_makes_no_hook(surfing, ada, roof, later):
    web, place = surfing(ada), f"/projects/{roof}/hooks"
    page = web.get(place)
    later()
    page = web.submit(page, place, **{"hook[url]": "https://bells.example/ring"})
    assert (page.status, AGAIN in page.text, ada.get(place).items) == (403, True, [])


def test_every_record_that_old_sessions_change_is_known_not_to_decide_access():
    changes = [route for route in ROUTES if route.writes and not route.needs_recent_sign_in]
    apart = (*WRITTEN, Permission.CAPABILITY_LINK)
    kinds = {each.kind.__name__ for each in changes if each.permission not in apart}
    assert kinds == PROJECTS | OWN | SENDING


def test_every_change_of_a_token_in_person_needs_a_recent_sign_in():
    changes = [route for route in ROUTES if route.writes and route.path.startswith("/profile/token")]
    by_people = [route for route in changes if route.permission is Permission.IN_PERSON]
    assert {route.kind for route in by_people} == {Token, TokenRequest}
    assert all(route.needs_recent_sign_in for route in by_people)
