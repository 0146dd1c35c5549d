"""Mail about the recipient's own account."""

import pytest

from skerry.oidc_settings import ProviderSettings
from skerry.openid.answers import Answer
from skerry.store.auth import factors, logins, passkeys
from skerry.store.auth import identities as links
from skerry.store.auth.passkeys import NewPasskey
from skerry.tracker.auth import identities, password_resets
from skerry.tracker.context import Context, Principal
from skerry.tracker.people import people
from skerry.tracker.secrets import hash_password
from tests.conftest import PASSWORD
from tests.support.browser_client import WebClient
from tests.support.client import basic
from tests.support.mail_server import BASE, link_in

pytestmark = pytest.mark.matrix("both")

NEW = "a boat full of rope"


def verify(world, who, post):
    """Verify somebody's address as they would."""
    client = world.client(**basic(who.email, PASSWORD))
    client.post("/profile/verification")
    ((_, message),) = post.deliver()
    return world.client().post(link_in(message))


def test_an_address_is_verified_by_the_link_that_is_mailed_to_it(world, ada, in_person, post):
    assert in_person.post("/profile/verification").status == 200
    ((recipients, message),) = post.deliver()
    assert (recipients, message["to"].addresses[0].addr_spec) == ([ada.email], ada.email)
    assert message["subject"].startswith("Confirm your e-mail address for World")
    nobody = world.client()
    assert nobody.get(link_in(message)).item == {"email": ada.email}
    assert in_person.get("/profile/preferences").item["email_verified"] is False
    assert nobody.post(link_in(message)).item == {"email": ada.email}
    assert in_person.get("/profile/preferences").item["email_verified"] is True
    assert (nobody.post(link_in(message)).status, post.deliver()) == (404, [])


def test_a_second_link_is_not_mailed_within_a_minute(in_person, post, clock):
    in_person.post("/profile/verification")
    in_person.post("/profile/verification")
    assert len(post.deliver()) == 1
    assert in_person.post("/profile/verification").status == 429
    clock.turn(minutes=1)
    assert (in_person.post("/profile/verification").status, len(post.deliver())) == (200, 1)


def test_an_invitation_is_mailed_and_verifies_the_address(world, in_person, post):
    invited = {"email": "dora@example.org", "name": "Dora", "role": "member"}
    made = in_person.post("/invitations", {"invitation": invited}).item
    ((recipients, message),) = post.deliver()
    assert recipients == ["dora@example.org"]
    assert "Ada has invited you to World" in message.get_body(("plain",)).get_content()
    assert "url" not in made, "only the owner of the address sees the link"
    assert world.client().post(link_in(message), {"welcome": {"password": PASSWORD}}).status == 200
    dora = world.client(**basic("dora@example.org", PASSWORD))
    assert dora.get("/profile/preferences").item["email_verified"] is True


def test_a_copied_link_verifies_nothing(world, in_person):
    made = in_person.post("/invitations", {"invitation": {"email": "eve@example.org", "role": "member"}}).item
    path = f"/welcome/{made['url'].rpartition('/')[2]}"
    welcome = {"welcome": {"name": "Eve", "password": PASSWORD}}
    assert world.client().post(path, welcome).status == 200
    eve = world.client(**basic("eve@example.org", PASSWORD))
    assert eve.get("/profile/preferences").item["email_verified"] is False


def test_a_forgotten_password_is_replaced_by_a_mailed_link(world, ada, ben, post):
    verify(world, ben, post)
    nobody = world.client()
    asked = nobody.post("/password-reset", {"password_reset": {"email": ben.email}})
    ((recipients, message),) = post.deliver()
    assert (asked.status, recipients) == (200, [ben.email])
    path = link_in(message)
    found = nobody.get(path).item
    assert (found["email"], found["tokens_count"]) == (ben.email, 1)
    assert nobody.post(path, {"new_password": {"password": "short"}}).status == 422
    assert nobody.post(path, {"new_password": {"password": NEW, "revoke_tokens": True}}).status == 200
    assert world.client(**basic(ben.email, NEW)).get("/profile").status == 200
    assert (ben.get("/profile").status, nobody.get(path).status) == (401, 404)
    ((_, told),) = post.deliver()
    assert told["subject"] == "Your password was changed"


def test_a_new_password_ends_the_links_that_were_mailed_for_one(world, ben, post):
    def mailed():
        world.client().post("/password-reset", {"password_reset": {"email": ben.email}})
        ((_, message),) = post.deliver()
        return link_in(message)

    verify(world, ben, post)
    link, nobody = mailed(), world.client()
    person = world.client(**basic(ben.email, PASSWORD))
    assert person.put("/profile/password", {"password": {"present": PASSWORD, "new": NEW}}).status == 200
    assert nobody.post(link, {"new_password": {"password": "somebody else reads it"}}).status == 404
    post.deliver()
    link = mailed()
    with world.write() as transaction:
        people.change_password(transaction, ben.email, hash_password(PASSWORD))
    assert nobody.get(link).status == 404


@pytest.mark.parametrize("kept", [False, True])
def test_a_new_password_by_a_link_ends_other_ways_in_unless_they_are_kept(world, ada, ben, post, kept):
    verify(world, ben, post)
    corp = {"provider": "corp", "issuer": "https://login.example", "subject": "1", "email": ""}
    with world.write() as transaction:
        links.add(transaction, ben.user_id, **corp)
        new = NewPasskey("credential", "", 0, "internal", backed_up=True)
        passkeys.add(transaction, ben.user_id, "Theirs", new)
        factors.need(transaction, ben.user_id, needed=True)
    nobody = world.client()
    nobody.post("/password-reset", {"password_reset": {"email": ben.email}})
    ((_, message),) = post.deliver()
    found = nobody.get(link_in(message)).item
    assert (found["passkeys_count"], found["identities_count"]) == (1, 1)
    chosen = {"remove_passkeys": False, "remove_identities": False} if kept else {}
    assert nobody.post(link_in(message), {"new_password": {"password": NEW, **chosen}}).status == 200
    with world.write() as transaction:
        left = [len(each.of_user(transaction, ben.user_id)) for each in (passkeys, links)]
    assert left == ([1, 1] if kept else [0, 0])
    # Whoever reads the mail still needs the second factor.
    assert world.client(**basic(ben.email, NEW)).get("/profile").status == 401


def test_the_page_of_a_link_offers_to_keep_other_ways_in(world, ada, ben, post):
    verify(world, ben, post)
    corp = {"provider": "corp", "issuer": "https://login.example", "email": ""}
    with world.write() as transaction:
        for subject in ("1", "2"):
            links.add(transaction, ben.user_id, subject=subject, **corp)
    web = WebClient(world.instance.application, world.host)
    world.client().post("/password-reset", {"password_reset": {"email": ben.email}})
    ((_, message),) = post.deliver()
    page = web.get(link_in(message))
    assert ("Also unlink all 2 accounts at providers" in page.text, "passkey" in page.text) == (True, False)
    web.submit(page, link_in(message), **{"new_password[password]": NEW})
    with world.write() as transaction:
        assert links.of_user(transaction, ben.user_id) == []


def test_a_new_password_is_mailed_to_an_address_that_the_operator_gave(world, ada, post):
    world.client().post("/password-reset", {"password_reset": {"email": ada.email}})
    ((recipients, message),) = post.deliver()
    assert recipients == [ada.email]
    assert world.client().post(link_in(message), {"new_password": {"password": NEW}}).status == 200
    with world.write() as transaction:
        assert logins.of_user(transaction, ada.user_id).verified_at is not None


def test_nobody_learns_whether_an_address_has_a_login(world, ben, post):
    answers = [
        world.client().post("/password-reset", {"password_reset": {"email": email}})
        for email in (ben.email, "nobody@example.org")
    ]
    assert len({(answer.status, answer.body) for answer in answers}) == 1
    assert [recipients for recipients, _ in post.deliver()] == [[ben.email]]
    world.client().post("/password-reset", {"password_reset": {"email": ben.email}})
    assert post.deliver() == [], "twice within ten minutes"


def test_links_for_a_new_password_are_mailed_ten_minutes_apart(world, ben, post, clock):
    mailed = []
    for wait in ({}, {"minutes": 10, "microseconds": -1}, {"microseconds": 1}):
        clock.turn(**wait)
        world.client().post("/password-reset", {"password_reset": {"email": ben.email}})
        mailed.append(len(post.deliver()))
    assert mailed == [1, 0, 1]


def test_a_reset_that_names_another_host_leads_nobody_there(world, ben, post):
    verify(world, ben, post)
    wanted, evil = {"password_reset": {"email": ben.email}}, "evil.example"
    world.client().post("/password-reset", wanted, Host=evil)
    assert post.deliver() == []
    for name in ("X_Forwarded_Host", "Forwarded", "Origin"):
        world.client().post("/password-reset", wanted, **{name: evil})
    ((_, message),) = post.deliver()
    assert (world.host in message.as_string(), evil in message.as_string()) == (True, False)


@pytest.mark.usefixtures("post")
def test_too_many_resets_are_refused_with_a_time_in_the_interface_and_on_the_page(world, monkeypatch):
    monkeypatch.setattr(password_resets, "MAX_WAITING", 0)
    refused = world.client().post("/password-reset", {"password_reset": {"email": "dora@example.org"}})
    web = WebClient(world.instance.application, world.host)
    page = web.submit(
        web.get("/password-reset"), "/password-reset", **{"password_reset[email]": "dora@example.org"}
    )
    assert (refused.status, "in a minute" in refused.errors[0]) == (429, True)
    assert (page.status, "in a minute" in page.text) == (429, True)
    assert refused.headers["retry-after"] == page.headers["retry-after"] == "60"


def test_a_browser_that_is_new_is_told_and_one_that_was_used_before_is_not(world, ada, post):
    verify(world, ada, post)
    first, second = (WebClient(world.instance.application, world.host) for _ in range(2))
    first.sign_in(ada.email, PASSWORD)
    first.submit(first.get("/"), "/sign-out")
    first.sign_in(ada.email, PASSWORD)
    assert post.deliver() == []
    second.sign_in(ada.email, PASSWORD)
    ((recipients, told),) = post.deliver()
    assert (recipients, told["subject"]) == ([ada.email], "A new sign-in")
    second.submit(second.get("/"), "/sign-out")
    second.sign_in(ada.email, PASSWORD)
    assert post.deliver() == []


def test_a_wrong_password_in_a_new_browser_tells_nobody(world, ada, post):
    verify(world, ada, post)
    for password in (PASSWORD, "wrong horse"):
        WebClient(world.instance.application, world.host).sign_in(ada.email, password)
    assert post.deliver() == []


def test_alerts_go_to_verified_addresses_only(world, ada, in_person, post):
    in_person.post("/profile/tokens", {"token": {"note": "Backup"}})
    assert post.deliver() == []
    verify(world, ada, post)
    in_person.post("/profile/tokens", {"token": {"note": "Backup, Bcc: eve@example.org <script>"}})
    in_person.put("/profile/password", {"password": {"present": PASSWORD, "new": NEW}})
    (_, made), (_, changed) = post.deliver()
    assert [made["subject"], changed["subject"]] == ["A new token", "Your password was changed"]
    assert made["bcc"] is None
    assert "&lt;script&gt;" in made.get_body(("html",)).get_content()


def test_links_to_providers_are_told(world, ada, post):
    verify(world, ada, post)
    provider = ProviderSettings("harbour", "https://id.example", "skerry", label="Harbour office")
    with world.write() as transaction:
        context = Context(transaction, Principal(ada.user_id, "Ada", "owner"))
        identities.link(context, provider, Answer("ada"))
    ((_, linked),) = post.deliver()
    assert linked["subject"] == "A provider was linked"
    assert "Harbour office" in linked.get_body(("plain",)).get_content()
    client = world.client(**basic(ada.email, PASSWORD))
    client.delete(f"/profile/identities/{client.get('/profile/identities').items[0]['id']}")
    assert [message["subject"] for _, message in post.deliver()] == ["A provider was unlinked"]


def test_mails_are_written_in_the_language_and_zone_of_their_reader(world, ada, in_person, post, clock):
    verify(world, ada, post)
    in_person.put("/profile/preferences", {"preferences": {"language": "de", "time_zone": "Asia/Tokyo"}})
    in_person.post("/profile/tokens", {"token": {"note": ""}})
    ((_, message),) = post.deliver()
    text = message.get_body(("plain",)).get_content()
    assert message["subject"] == "Ein neues Token"
    assert " JST" in text


def test_nothing_is_mailed_if_mail_is_off(world, in_person):
    invited = in_person.post("/invitations", {"invitation": {"email": "d@example.org", "role": "member"}})
    assert invited.status == 201
    assert in_person.post("/profile/verification").errors == ["This server sends no mail"]
    reset = world.client().post("/password-reset", {"password_reset": {"email": "d@example.org"}})
    assert reset.status == 409
    assert in_person.get("/administration/mails").items == []


def test_the_pages_lead_through_it(world, ben, post):
    web = WebClient(world.instance.application, world.host)
    web.sign_in(ben.email, PASSWORD)
    web.submit(web.get("/profile"), "/profile/verification")
    ((_, message),) = post.deliver()
    web.submit(web.get(link_in(message)), link_in(message))
    assert "/profile/verification" not in web.get("/profile").source
    web.submit(web.get("/"), "/sign-out")
    assert "/password-reset" in web.get("/sign-in").source
    asked = web.submit(web.get("/password-reset"), "/password-reset", **{"password_reset[email]": ben.email})
    assert "a link is on its way" in asked.text
    ((_, message),) = post.deliver()
    page = web.submit(web.get(link_in(message)), link_in(message), **{"new_password[password]": NEW})
    assert (page.status, page.path) == (200, "/")
    assert "Sign out" in page.text


def ask(world, email):
    return world.client().post("/password-reset", {"password_reset": {"email": email}})


@pytest.mark.usefixtures("post")
def test_new_passwords_are_asked_for_only_so_often(world, ben, clock):
    most = password_resets.LIMITS
    for email in (ben.email, "nobody@example.org"):
        assert [ask(world, email).status for _ in range(most.address)] == [200] * most.address
    refused = [ask(world, email) for email in (ben.email, "nobody@example.org", "else@example.org")]
    assert [each.status for each in refused] == [429] * 3, "the network has asked too often, too"
    assert (len({each.body for each in refused}), int(refused[0].headers["retry-after"]) > 0) == (1, True)
    web = WebClient(world.instance.application, world.host)
    page = web.submit(web.get("/password-reset"), "/password-reset", **{"password_reset[email]": ben.email})
    assert (page.status, "try again in" in page.text, int(page.headers["retry-after"]) > 0) == (
        429,
        True,
        True,
    )
    clock.turn(hours=1)
    assert ask(world, ben.email).status == 200


@pytest.mark.usefixtures("post")
def test_one_address_is_asked_for_only_so_often_from_everywhere(monkeypatch, world, ben):
    monkeypatch.setattr(password_resets, "LIMITS", password_resets.LIMITS._replace(network=100, address=2))
    assert [ask(world, ben.email).status for _ in range(3)] == [200, 200, 429]
    assert ask(world, "nobody@example.org").status == 200


def test_links_that_let_somebody_in_lead_to_hosts_of_the_operator(world, ben, in_person, post):
    verify(world, ben, post)
    for base, leads_to in (("https://evil.example", BASE), (f"https://{world.host}:8443", None)):
        in_person.put("/account", {"account": {"base_url": base, "sign_up": "open"}})
        invited = {"email": f"dora{leads_to is None}@example.org", "role": "member"}
        in_person.post("/invitations", {"invitation": invited})
        in_person.post("/profile/verification")
        ask(world, "nobody@example.org" if leads_to is None else ben.email)
        world.client().post("/sign-up", {"sign_up": {"email": "new@example.org", "name": "New"}})
        texts = [message.get_body(("plain",)).get_content() for _, message in post.deliver()]
        assert len(texts) >= 2
        assert [(leads_to or base) in text for text in texts] == [True] * len(texts)
        assert "evil.example" not in "".join(texts)
