"""What tests over HTTP share: a ticket, and that every answer is held against the interface's description."""

import pytest

from tests import described
from tests.speaking import Voice

# What a request may say to be another one than its method and address show.
OVERRIDES = ("_method", "method_override")


@pytest.fixture
def leak(ada, roof):
    """A ticket of Ada's with a text; gives its address."""
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "It drips"}})
    return f"/projects/{roof}/tickets/1"


@pytest.fixture(autouse=True)
def answers_as_described(monkeypatch):
    send = Voice.send

    def checked(voice, method, path, data=None, **arguments):
        answer = send(voice, method, path, data, **arguments)
        overridden = any(word in f"{data} {arguments}".lower() + path for word in OVERRIDES)
        # The old dialect is made of what the description does not say.
        if not overridden and voice.application._settings.dialect == "skerry":
            described.check(method, voice.address(path), answer)
        return answer

    monkeypatch.setattr(Voice, "send", checked)
