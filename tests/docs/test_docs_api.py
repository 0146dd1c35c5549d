"""The examples of docs/api are requests that get the answers which stand below them.

Each page has a world of its own: Ada (user 1) administers, Ben (2) is a member, project 1 is called Roof
and Ben works in it. Ada asks, unless a request says who does; on the page about that, nobody does.
``…`` stands for anything, TOKEN for a token of Ada's, READ-ONLY-TOKEN for one that may only read.
"""

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from falcon import code_to_http_status

from skerry import app, mail_settings
from skerry.database.transactions import DAY
from skerry.mail_settings import MailSettings
from skerry.settings import Settings
from skerry.store import accounts
from skerry.store.auth import sign_ups
from skerry.tracker.audit import chain
from skerry.tracker.events.events import Type
from skerry.tracker.secrets import hash_token
from skerry.web.log import Log
from skerry.web.openapi.document import operation_id
from skerry.web.routes.table import ROUTES
from skerry.wire.record import fields_of
from tests.conftest import World
from tests.support import openapi_check
from tests.support.client import call
from tests.support.resources import placeholder, uploaded_import

PAGES = sorted(Path(__file__).parents[2].joinpath("docs", "api").glob("[a-z]*.md"))
HOST = "tracker.example"
BLOCK = re.compile(r"```http\n(.+?)\n```", re.DOTALL)
MORE = "…"


@pytest.fixture
def world(data):
    log = io.StringIO()
    instance = app.build(Settings(data=data), Log(stream=log))
    with instance:
        with instance.database.write() as transaction:
            account = accounts.add(transaction, "Harbour", HOST)
        world = World(instance, log, account.id, HOST, "json")
        ada, ben = world.person("ada", "administrator"), world.person("ben", "member")
        world.join(ada.post("/projects", {"project": {"name": "Roof"}}).item["id"], ben)
        yield world


def furnish(world, page):
    """Add what only imports make, and seal the log, as a running server does."""
    chain.seal_new(world.database)
    if page.stem == "placeholders":
        with world.write() as transaction:
            placeholder(transaction, "Emil", "acme/8")
    if page.stem == "sign-ups":
        furnish_sign_ups(world)
    if page.stem == "held-texts":
        furnish_newcomer(world)
    if page.stem == "spam-removals":
        furnish_newcomer(world)
    if page.stem == "imports":
        for name in ("roof.csv", "wall.csv", "door.csv"):
            uploaded_import(world, name, world.people["ada"].user_id)


def furnish_sign_ups(world):
    """Set mail up, let Emil be sent a link, and let Eve and Finn wait for approval."""
    sender = mail_settings.sender("Skerry <skerry@tracker.example>")
    server = mail_settings.smtp_server("smtp://localhost")
    world.database.mail = MailSettings(server, sender, "https://tracker.example")
    with world.write() as transaction:
        for name in ("Emil", "Eve", "Finn"):
            code = "0123456789abcdef0123456789abcdef01234567" if name == "Emil" else name
            link = {"email": f"{name.lower()}@tracker.example", "name": name}
            sign_ups.add(transaction, hash_token(code), expires_at=transaction.now + DAY, **link)
            if name != "Emil":
                kept = sign_ups.with_hash(transaction, hash_token(code))
                sign_ups.wait(transaction, kept, name, "", transaction.now)


def furnish_newcomer(world):
    """Let Dora have signed up, and let texts of newcomers wait in a public project."""
    dora = world.person("dora")
    world.people["ada"].put("/projects/1", {"project": {"public": True}})
    with world.write() as transaction:
        accounts.set_sign_up(transaction, "open", "hold")
        link = {"email": dora.email, "name": "Dora", "expires_at": transaction.now + DAY}
        sign_ups.add(transaction, hash_token("Dora"), **link)
        kept = sign_ups.with_hash(transaction, hash_token("Dora"))
        sign_ups.admit(transaction, kept, dora.user_id)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_gets_the_answer_below_it(world, page):
    furnish(world, page)
    ada = world.people["ada"]
    token = ada.headers["X-ServiceToken"]
    read_only = world.token(ada.user_id, read_only=True)
    text = page.read_text(encoding="utf-8").replace("READ-ONLY-TOKEN", read_only).replace("TOKEN", token)
    blocks = BLOCK.findall(text)
    assert len(blocks) % 2 == 0
    usual = {} if page.stem == "authentication" else ada.headers
    for request, expected in zip(blocks[::2], blocks[1::2], strict=True):
        compare(request, expected, send(world.instance.application, request, usual))


def test_every_page_can_be_reached_from_the_first():
    first = PAGES[0].with_name("README.md").read_text(encoding="utf-8")
    assert {page.name for page in PAGES} <= set(re.findall(r"\]\(([a-z-]+\.md)", first))


def test_everything_in_the_map_has_an_example():
    blocks = [block for page in PAGES for block in BLOCK.findall(page.read_text(encoding="utf-8"))[::2]]
    shown = [openapi_check.operation_at(*block.split("\n")[0].split(" ")) for block in blocks]
    names = {operation["operationId"] for operation in shown if operation}
    works = {route.use_case for route in ROUTES if operation_id(route) in names}
    missing = [f"{route.method} {route.path}" for route in ROUTES if route.use_case not in works]
    assert missing == [], "a page in docs/api/ needs an example"


def test_everything_that_can_be_sent_is_named():
    said = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    drafts = {route.draft for route in ROUTES if route.draft}
    fields = {field.name for draft in drafts for field in fields_of(draft) if field.writable}
    missing = [
        name for name in sorted(fields) if not re.search(rf"""[`"]{name}[`"]|<{xml_name(name)}\b""", said)
    ]
    assert missing == [], "a page in docs/api/ has to say what they are"


def test_every_kind_of_event_is_named():
    said = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [kind.value for kind in Type if f"`{kind.value}`" not in said] == []


def xml_name(name):
    return name.replace("_", "-")


def send(application, request, usual):
    """Send a request as it stands on a page and return the answer, held against the description too."""
    head, _, body = request.partition("\n\n")
    first, *routes = head.split("\n")
    method, path = first.split(" ")
    said = dict(route.split(": ", 1) for route in routes)
    headers = {"Host": HOST, **({} if "Authorization" in said else usual), **said}
    if "multipart" in headers.get("Content-Type", ""):
        body = body.replace("\n", "\r\n")
    answer = call(application, method, path, body=body.encode(), headers=headers)
    if "_method" not in path:
        openapi_check.check(method, path, answer)
    return answer


def compare(request, expected, answer):
    """Assert that an answer is the expected one."""
    head, _, body = expected.partition("\n\n")
    first, *routes = head.split("\n")
    shown = f"{request}\n---\n{answer.status} {answer.headers}\n\n{answer.body.decode('utf-8', 'replace')}"
    assert first == f"HTTP/1.1 {code_to_http_status(answer.status)}", shown
    for route in routes:
        name, _, value = route.partition(": ")
        assert fits(value, answer.headers.get(name.lower())), f"{route}\n{shown}"
    assert body_fits(body.strip(), answer.body.decode()), shown


def body_fits(expected, text):
    if expected.startswith("<"):
        return xml_fits(ET.fromstring(expected.encode()), ET.fromstring(text.encode()))  # noqa: S314 - our own
    if expected.startswith("{"):
        return fits(json.loads(with_names(expected)), json.loads(text))
    return fits(expected, text)


def with_names(text):
    """Return JSON in which what stands for more members or items is a member or an item itself."""
    text = re.sub(rf"([:\[]\s*){MORE}", rf'\1"{MORE}"', text)
    text = re.sub(rf",\s*{MORE}\s*\]", f', "{MORE}"]', text)
    return re.sub(rf"(?<=[{{,\s]){MORE}(?=\s*[,}}])", f'"{MORE}": 0', text)


def fits(expected, value):
    """Return whether a value is the expected one, parts of which may be left open."""
    if expected == MORE:
        return True
    if isinstance(expected, str):
        return isinstance(value, str) and bool(re.fullmatch(opened(expected), value, re.DOTALL))
    if isinstance(expected, dict):
        named = {name: each for name, each in expected.items() if name != MORE}
        known = isinstance(value, dict) and named.keys() <= value.keys()
        whole = known and (MORE in expected or named.keys() == value.keys())
        return whole and all(fits(each, value[name]) for name, each in named.items())
    if isinstance(expected, list):
        items = [each for each in expected if each != MORE]
        whole = isinstance(value, list) and (len(items) == len(value) or len(items) < len(expected))
        return whole and all(fits(each, item) for each, item in zip(items, value, strict=False))
    return bool(expected == value) and type(expected) is type(value)


def opened(text):
    return ".*".join(re.escape(piece) for piece in text.split(MORE))


def xml_fits(expected, element):
    """Return whether an element is the expected one; where ``…`` stands between its children are more."""
    if expected.tag != element.tag or not fits(dict(expected.attrib), dict(element.attrib)):
        return False
    texts = [expected.text or "", *(child.tail or "" for child in expected)]
    if not len(expected):
        return texts[0] == MORE or (not len(element) and fits(texts[0], element.text or ""))
    left = iter(element)
    if any(MORE in text for text in texts):
        return all(any(xml_fits(child, each) for each in left) for child in expected)
    return len(expected) == len(element) and all(map(xml_fits, expected, element))
