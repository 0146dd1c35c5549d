"""What pages are made of belongs to the program, as its code does."""

import pytest

from skerry import languages
from skerry.web.site import assets
from skerry.web.site.translation import TranslatingEnvironment


@pytest.mark.parametrize("language", sorted(languages.LANGUAGES))
def test_what_was_loaded_is_not_read_again(language, monkeypatch):
    assets.load()
    monkeypatch.setattr(assets.resources, "files", lambda _: pytest.fail("another version might stand there"))
    environment = TranslatingEnvironment(languages.catalogue.__wrapped__(language))
    for name in assets.templates():
        assert environment.loader.get_source(environment, name)[0]
    for name in assets.names():
        assert assets.content(name)


def test_a_mistake_in_a_template_names_its_file():
    source, file = assets.templates()["ticket.html"]
    assert file.endswith("skerry/web/templates/ticket.html")
    assert source.startswith("{%")
