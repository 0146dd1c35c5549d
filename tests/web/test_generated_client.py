"""A client generated from the OpenAPI document by a third-party generator."""

import importlib
import json
import pkgutil
import subprocess
import sys

import httpx
import pytest

from skerry.web.openapi.document import document
from tests.support import loops

pytestmark = pytest.mark.matrix("json")

GENERATE = "from openapi_python_client.cli import app; app()"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The name of a generated package that can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    described, settings = folder / "openapi.json", folder / "settings.yml"
    described.write_text(json.dumps(document("json")))
    settings.write_text("post_hooks: []\n")
    command = [sys.executable, "-c", GENERATE, "generate", "--path", described, "--meta", "none"]
    to = ["--config", settings, "--output-path", folder / "generated_client"]
    subprocess.run([*command, *to], check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    yield "generated_client"
    sys.path.remove(str(folder))


@pytest.fixture
def client(package, world, ada):
    generated = importlib.import_module(package)
    transport = httpx.ASGITransport(world.instance.application)
    return generated.AuthenticatedClient(
        base_url=f"http://{world.host}",
        token=ada.headers["X-ServiceToken"],
        httpx_args={"transport": transport},
        raise_on_unexpected_status=True,
    )


def test_every_module_of_a_generated_client_can_be_imported(package):
    generated = importlib.import_module(package)
    names = [each.name for each in pkgutil.walk_packages(generated.__path__, f"{package}.")]
    assert len([importlib.import_module(name) for name in names]) > 400


def test_a_generated_client_creates_and_lists_tickets(package, client, roof):
    models = importlib.import_module(f"{package}.models")
    api = importlib.import_module(f"{package}.api.tickets")

    def run(name, *ids, **arguments):
        module = importlib.import_module(f"{api.__name__}.{name}")
        return loops.run(module.asyncio(*ids, client=client, **arguments))

    draft = models.CreateTicketJsonBody(ticket=models.TicketDraft(title="Leak", tag="wet"))
    made = run("create_ticket", roof, body=draft).ticket
    change = models.UpdateTicketJsonBody(ticket=models.TicketChange(state="open"))
    assert run("update_ticket", roof, made.number, body=change).ticket.state == "open"
    assert [each.ticket.title for each in run("list_tickets", roof).tickets] == ["Leak"]
    shown = run("get_ticket", roof, made.number).ticket
    assert shown.versions[1].diffable_attributes["state"] == "new"
    refused = models.CreateTicketJsonBody(ticket=models.TicketDraft(title=""))
    assert run("create_ticket", roof, body=refused).errors == ["Title can't be blank"]
