"""Well-known addresses: the contact for vulnerabilities, and the form for a new password."""

import io
import re
from datetime import UTC, datetime, timedelta

import pytest

from skerry import app, settings
from skerry.settings import SettingError, Settings
from skerry.web.log import Log
from tests.support.client import call

FILE = "/.well-known/security.txt"


@pytest.mark.parametrize("said", ["security@example.org", "mailto:security@example.org"])
def test_security_txt_names_the_contact_and_a_moment_within_a_year(data, said):
    own = settings.load({"SKERRY_SECURITY_CONTACT": said, "SKERRY_DATA": str(data)})
    with app.build(own, Log(stream=io.StringIO())) as instance:
        answer = call(instance.application, "GET", FILE, headers={"Host": "tracker.example"})
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    text = answer.body.decode()
    assert "Contact: mailto:security@example.org\n" in text
    assert "Canonical: http://tracker.example/.well-known/security.txt\n" in text
    expires = datetime.fromisoformat(re.search(r"Expires: (\S+)", text)[1])
    assert datetime.now(UTC) < expires < datetime.now(UTC) + timedelta(days=365)


def test_without_a_contact_there_is_no_security_txt(world):
    assert call(world.instance.application, "GET", FILE, headers={"Host": world.host}).status == 404


@pytest.mark.parametrize("said", ["somebody", "http://example.org/", "a@b\nPolicy: x", "a@b.org, c@d.org"])
def test_a_contact_that_is_no_address_is_refused(said):
    with pytest.raises(SettingError, match="SKERRY_SECURITY_CONTACT must be a mail address"):
        settings.load({"SKERRY_SECURITY_CONTACT": said})
    assert Settings.security_contact == ""


def test_password_managers_find_the_form(world):
    answer = call(
        world.instance.application, "GET", "/.well-known/change-password", headers={"Host": world.host}
    )
    assert (answer.status, answer.headers["location"]) == (302, "/profile#password")
