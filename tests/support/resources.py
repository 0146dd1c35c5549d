"""One of everything that may stand in a path of the routing table."""

import re
import secrets

from skerry.resources import examples
from skerry.store import forges, held_texts, moving_in
from skerry.store.auth import identities, invitations, passkeys, sessions, sign_ups, tokens
from skerry.store.auth.passkeys import NewPasskey
from skerry.store.counts import counters
from skerry.store.mail import mail_preferences, mailed_links, mails
from skerry.store.mail.mailed_links import MailedLink
from skerry.store.notifications import notifications
from skerry.store.people import avatars, people
from skerry.store.sending import deliveries, feeds, hooks
from skerry.store.spam import spam
from skerry.store.transfer import imports
from skerry.tracker.auth import token_requests
from skerry.tracker.secrets import hash_token
from skerry.web.route import names_in
from skerry.web.routes.table import ROUTES
from skerry.wire.record import fields_of
from tests.support.client import Upload
from tests.support.forms import KIND, field, file, form

PLACE = re.compile(r"/([\w-]+)/\{(\w+)\}")
FILENAME = "notes.txt"

# Wider than a telephone.
LONG_QUERY = "state:open -tagged:'two words' responsible:(me,none) sort:importance sort:updated"

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
"""The example of RFC 7636."""

FORGE_SECRET = "5f" * 20

# As much of a picture as anybody looks at here, and text at the same time: 64 by 64 pixels.
PICTURE = b"RIFF----WEBPVP8 ----------@@@@"


def _make(site, path, root, key, **fields):
    project = f"/projects/{site.values['projects']}"
    answer = site.account.founder.post(f"{project}/{path}", {root: fields})
    assert answer.status in (200, 201), answer.body
    return answer.item[key]


def _project(site):
    founder, world = site.account.founder, site.account.world
    project = {"name": f"{site.kind} {site.text}", "public": "public" in site.kind}
    project_id = founder.post("/projects", {"project": project}).item["id"]
    world.join(project_id, world.people["ben"])
    world.join(project_id, world.people["dee"])
    return project_id


def _ticket(site):
    return _make(site, "tickets", "ticket", "number", title=site.text, body=site.text, tag=site.text)


def _version(site):
    return _make(site, f"tickets/{site.values['tickets']}/versions", "version", "version", body=site.text)


def _link(site):
    other = _make(site, "tickets", "ticket", "number", title=site.text)
    return _make(site, f"tickets/{site.values['tickets']}/links", "link", "id", kind="blocks", ticket=other)


def _text_of_version(site):
    place = f"tickets/{site.values['tickets']}/versions/{site.values['versions']}"
    return _edited(site, place, "version")


def _text_of_message(site):
    return _edited(site, f"messages/{site.values['messages']}", "message")


def _edited(site, place, root):
    """Edit a text, and return the id of what it was before."""
    path, founder = f"/projects/{site.values['projects']}/{place}", site.account.founder
    body = founder.get(path).item["body"]
    assert founder.put(path, {root: {"body": f"{body} indeed"}}).status == 200
    return founder.get(f"{path}/texts").items[-1]["id"]


def _changeset(site):
    revision = f"r{site.account.revisions}"
    site.account.revisions += 1
    return _make(site, "changesets", "changeset", "revision", revision=revision, title=site.text)


def _bin(site):
    return _make(site, "bins", "ticket_bin", "id", name=site.text, query=LONG_QUERY, shared=True)


def _bin_of_account(site):
    shared = {"ticket_bin": {"name": site.text, "query": LONG_QUERY, "shared": True}}
    answer = site.account.world.people["ben"].post("/bins", shared)
    assert answer.status == 201, answer.body
    return answer.item["id"]


def _template(site):
    # No two have the same name.
    return _make(site, "templates", "template", "id", name=f"{site.text} {secrets.token_hex(4)}")


def _bulk_edit(site):
    return _make(site, "bulk_edit", "bulk_edit", "id", query="number:1", command="tagged:dry")


def _bulk_edit_over_projects(site):
    found = f"project:{site.values['projects']} number:1"
    sent = {"account_bulk_edit": {"query": found, "command": "tagged:dry"}}
    answer = site.account.founder.post("/bulk_edit", sent)
    assert answer.status == 200, answer.body
    return answer.item["id"]


def _hook(site):
    return _make(site, "hooks", "hook", "id", url="https://receiver.example/hook", note=site.text)


def _delivery(site):
    return _make(site, f"hooks/{site.values['hooks']}/ping", "delivery", "id")


def placeholder(transaction, name, source):
    """Add an imported person without a login; return the id."""
    user_id = transaction.value(counters.NEXT, account_id=0, kind="users")
    person = {"id": user_id, "name": name, "job": "", "website": "", "created_at": transaction.now}
    imports.keep(transaction, {"users": [person], "placeholders": [{"user_id": user_id, "source": source}]})
    return user_id


def _placeholder(site):
    with site.account.world.write() as transaction:
        return placeholder(transaction, site.text, f"acme/{secrets.token_hex(4)}")


def uploaded_import(world, filename, user_id):
    """Add an uploaded table that was checked, without its file; return its id."""
    with world.write() as transaction:
        return moving_in.ROWS.insert(
            transaction,
            transaction.account_id,
            **dict.fromkeys(
                ("code", "columns", "markup", "address", "people", "error", "project_ids", "report", "stage"),
                "",
            ),
            **dict.fromkeys(("done", "size", "total"), 0),
            user_id=user_id,
            filename=filename,
            kind="csv",
            name="",
            state="checked",
            stage_began_at=None,
        )


def _import(site):
    return uploaded_import(site.account.world, site.text, site.account.founder.user_id)


def _hook_of_account(site):
    world = site.account.world
    with world.write() as transaction:
        user_id = site.account.founder.user_id
        return hooks.add(
            transaction,
            None,
            user_id=user_id,
            url="https://receiver.example/hook",
            events="*",
            query="",
            format="skerry",
            active=1,
            note=site.text,
            secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        )


def _delivery_of_account(site):
    with site.account.world.write() as transaction:
        return deliveries.add_test(transaction, site.values["/hooks/{hook_id}"])


def _forge(site):
    values = {"user_id": site.account.founder.user_id, "kind": "gitlab", "note": site.text}
    with site.account.world.write() as transaction:
        return forges.ROWS.insert(
            transaction, site.values["projects"], pushed_at=None, secret=FORGE_SECRET, **values
        )


def _attachment(site):
    raw = form(field("ticket[title]", site.text), file(site.text.encode(), FILENAME))
    path = f"/projects/{site.values['projects']}/tickets"
    answer = site.account.founder.send("POST", path, raw=raw, kind=KIND)
    ticket = site.account.founder.get(f"{path}/{answer.item['number']}").item
    return ticket["attachments"][0]["id"]


def _notification(site):
    """Let Ben be told of a ticket, as a reader of events does, and return the id of what he was told."""
    world, ben = site.account.world, site.account.world.people["ben"]
    with world.write() as transaction:
        number = transaction.now % 10**9
        told = notifications.NewNotification(
            ben.user_id, site.values["projects"], site.values["tickets"], 1, number
        )
        notifications.add(transaction, [told])
    found = ben.get("/notifications?limit=100").items
    keys = {(each["ticket"]["project_id"], each["ticket"]["number"]): each["id"] for each in found}
    return keys[site.values["projects"], site.values["tickets"]]


def somebody(site):
    return site.account.world.people["eve"].user_id


def _service_user(site):
    with site.account.world.write() as transaction:
        user_id = people.add_service_user(transaction, site.text)
        people.join_account(transaction, user_id, "member")
    return user_id


def _service_token(site):
    with site.account.world.write() as transaction:
        owner, hashed = site.values["service-users"], hash_token(secrets.token_hex())
        tokens.add(transaction, owner, hashed, project_id=None, read_only=False, note="")
        return tokens.of_user(transaction, owner)[0].id


def _membership(site):
    return _make(site, "memberships", "membership", "id", user_id=somebody(site))


def _user(site):
    return site.account.world.people["ben"].user_id


def _avatar(site):
    world = site.account.world
    pia = world.people.get("pia") or world.person("pia")
    with world.write() as transaction:
        present = avatars.paths(transaction, [pia.user_id]).get(pia.user_id)
    if present is None:
        assert pia.put("/profile/avatar", Upload("avatar", PICTURE)).status == 200
        return _avatar(site)
    return present.rpartition("/")[2]


def _token(site):
    return site.account.world.people["ben"].headers["X-ServiceToken"]


def token_code(transaction, user_id, **limits):
    """Add a token of somebody's that waits for who knows ``VERIFIER``; return its code."""
    code = secrets.token_hex(20)
    limits = {"project_id": None, "read_only": False, "note": "", **limits}
    hashed = token_requests.hash_of(code, CHALLENGE)
    tokens.add(transaction, user_id, hashed, expires_at=transaction.now + 300_000_000, **limits)
    return code


def _token_code(site):
    with site.account.world.write() as transaction:
        return token_code(transaction, site.account.world.people["ben"].user_id)


def _token_id(_site):
    return 1


def _feed(site):
    return _made_feed(site)[0]


def _feed_code(site):
    return f"{_made_feed(site)[1]}.atom"


def _made_feed(site):
    """Return the id and the secret of a feed of the site's tickets, which is Ben's."""
    secret, ben = secrets.token_hex(20), site.account.world.people["ben"].user_id
    feed = {"kind": "tickets", "project_id": site.values["projects"], "query": "", "note": site.text}
    with site.account.world.write() as transaction:
        return feeds.ROWS.insert(transaction, ben, hash=hash_token(secret), **feed), secret


def _session(site):
    world = site.account.world
    with world.write() as transaction:
        return sessions.add(
            transaction, world.people["ben"].user_id, secrets.token_hex(), agent="Firefox", address="::1"
        )


def _identity(site):
    world = site.account.world
    corp = {"provider": "corp", "issuer": "https://login.example", "subject": secrets.token_hex()}
    with world.write() as transaction:
        return identities.add(transaction, world.people["ben"].user_id, **corp, email="")


def _passkey(site):
    world, new = site.account.world, NewPasskey(secrets.token_hex(), "", 0, "internal", backed_up=True)
    with world.write() as transaction:
        return passkeys.add(transaction, world.people["ben"].user_id, site.text, new)


def _invite(site, code):
    with site.account.world.write() as transaction:
        return invitations.add(
            transaction,
            hash_token(code),
            email=f"{code}@example.org",
            name="Dora",
            role="member",
            project_id=None,
            user_id=None,
            creator_id=site.account.founder.user_id,
            expires_at=transaction.now + 3_600_000_000,
        )


def _invitation(site):
    return _invite(site, secrets.token_hex(20))


def _welcome(site):
    code = secrets.token_hex(20)
    _invite(site, code)
    return code


def _sign_up(site):
    code = secrets.token_hex(20)
    with site.account.world.write() as transaction:
        link = {"email": f"{code}@example.org", "name": "Dora", "expires_at": transaction.now + 3_600_000_000}
        sign_ups.add(transaction, hash_token(code), **link)
    return code


def _applicant(site):
    code = _sign_up(site)
    with site.account.world.write() as transaction:
        kept = sign_ups.with_hash(transaction, hash_token(code))
        sign_ups.wait(transaction, kept, site.text, "", transaction.now)
    return kept.id


def _held_text(site):
    values = {"kind": "ticket", "number": None, "title": site.text, "body": site.text, "tag": None}
    values["private"] = 0
    with site.account.world.write() as transaction:
        ben = site.account.world.people["ben"].user_id
        return held_texts.add(transaction, site.values["projects"], ben, via="web", **values)


def _spam_removal(site):
    with site.account.world.write() as transaction:
        user_id = people.add(transaction, f"{secrets.token_hex()}@example.org", site.text, "")
        spam.add(transaction, user_id, site.account.founder.user_id, was_disabled=False)
    return user_id


def _mailed(kind):
    """Return what makes a link that was mailed to Ben."""

    def make(site):
        code, email = secrets.token_hex(20), f"{secrets.token_hex()}@example.org"
        with site.account.world.write() as transaction:
            link = MailedLink(kind, people.add(transaction, email, "Dora", ""), email)
            mailed_links.add(transaction, hash_token(code), link, transaction.now + 3_600_000_000)
        return code

    return make


def _unsubscribe(site):
    code = secrets.token_hex(20)
    with site.account.world.write() as transaction:
        user_id = people.add(transaction, f"{code}@example.org", "Dora", "")
        mail_preferences.begin(transaction, user_id, code)
    return code


def _mail(site):
    with site.account.world.write() as transaction:
        return mails.add(transaction, "alert", {}, email=f"{secrets.token_hex()}@example.org")


def _set_up(_site):
    return "0" * 40


def sample(draft, text):
    """Return what is enough to make or change a record: its required fields, and its long texts.

    What has a rule of its own needs a sample value in ``resources/examples.py``.
    """
    chosen = [field for field in fields_of(draft) if field.required or field.name in draft.texts]
    return {draft.singular: {field.name: _sample(draft, field, text) for field in chosen if field.writable}}


def _sample(draft, field, text):
    value = f"https://receiver.example/{text}" if field.http_url else text[: field.longest]
    return examples.VALUES.get(f"{draft.singular}.{field.name}", value) if field.required else value


def _declared(route):
    """Return what makes the thing that a route makes, by the declaration of its draft."""

    def make(site):
        answer = site.account.founder.post(site.path(route), sample(route.draft, site.text))
        assert answer.status == 201, answer.body
        return answer.item[names_in(route.location)[-1]]

    return make


DECLARED = {
    route.path.rpartition("/")[2]: _declared(route)
    for route in ROUTES
    if route.method == "POST" and route.draft and route.location.rpartition("/")[0] == route.path
}

# What may stand in a path, by the word before it, with the name where one word has two; made in this order.
THINGS = {
    **DECLARED,
    "projects": _project,
    "lists": lambda site: site.values["projects"],
    "tickets": _ticket,
    "versions": _version,
    "links": _link,
    "/projects/{project_id}/tickets/{number}/versions/{version}/texts/{text}": _text_of_version,
    "/projects/{project_id}/messages/{id}/texts/{text}": _text_of_message,
    "milestone": DECLARED["milestones"],
    "changesets": _changeset,
    "bins": _bin,
    "/bins/{id}": _bin_of_account,
    "templates": _template,
    "bulk_edits": _bulk_edit,
    "/bulk_edits/{id}": _bulk_edit_over_projects,
    "attachments": _attachment,
    "hooks": _hook,
    "deliveries": _delivery,
    "forges": _forge,
    "pushes": lambda _site: "gitlab",
    "/hooks/{hook_id}": _hook_of_account,
    "/hooks/{hook_id}/deliveries/{delivery_id}": _delivery_of_account,
    "memberships": _membership,
    "users": _user,
    "avatars": _avatar,
    "tokens": _token,
    "tokens/id": _token_id,
    "token-requests": _token_code,
    "feeds/id": _feed,
    "feeds/code": _feed_code,
    "sessions": _session,
    "identities": _identity,
    "passkeys": _passkey,
    "people": _user,
    "service-users": _service_user,
    "/people/service-users/{user_id}/tokens/{id}": _service_token,
    "imports": _import,
    "invitations": _invitation,
    "placeholders": _placeholder,
    "welcome": _welcome,
    "notifications": _notification,
    "read": lambda _site: 1,
    "set-up": _set_up,
    "sign-up": _sign_up,
    "spam-removals": _spam_removal,
    "held-texts": _held_text,
    "applicants": _applicant,
    "verification": _mailed("verification"),
    "password-reset": _mailed("password_reset"),
    "mails": _mail,
    "unsubscribe": _unsubscribe,
}


def thing_at(match):
    """Return what stands at a place of an address, by its name in THINGS."""
    known = (match.string[: match.end()], f"{match[1]}/{match[2]}")
    return next((each for each in known if each in THINGS), match[1])


ASKED = {thing_at(match) for route in ROUTES for match in PLACE.finditer(route.path)}


# Nobody has any of these.
MISSING = dict.fromkeys(THINGS, 987654) | {"changesets": "0ff", "tokens": "0" * 40, "welcome": "0" * 40}
MISSING |= dict.fromkeys(
    ("verification", "password-reset", "sign-up", "token-requests", "unsubscribe"), "0" * 40
)
MISSING["feeds/code"] = f"{'0' * 40}.atom"
