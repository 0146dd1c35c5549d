"""The files of the package, from which pages are made."""

import re

import pytest

from skerry import languages
from skerry.web.site import assets
from skerry.web.site.translation import TranslatingEnvironment


def contents(language):
    environment = TranslatingEnvironment(languages.catalogue.__wrapped__(language))
    sources = [environment.loader.get_source(environment, name)[0] for name in assets.templates()]
    return sources, [assets.content(name) for name in assets.names()]


@pytest.mark.parametrize("language", sorted(languages.LANGUAGES))
def test_files_of_the_package_are_read_only_once(language, monkeypatch):
    before = contents(language)
    monkeypatch.setattr(assets.resources, "files", lambda _: pytest.fail("another version might stand there"))
    assert contents(language) == before


def test_a_mistake_in_a_template_names_its_file():
    source, file = assets.templates()["ticket.html"]
    assert file.endswith("skerry/web/templates/ticket.html")
    assert source.startswith("{%")


def test_no_script_writes_to_a_property_that_others_name():
    """Otherwise a text with the name of a prototype could change every object of the page."""
    scripts = assets.content("skerry.js").decode()
    # The names of these stand beside it.
    known = ["copy.style[name] = style[name]", "said[name] = text(response[name])"]
    assert re.findall(r"[\w)\].]+\[[^\]]+\]\s*=[^=>][^;]*", scripts) == known
    assert not re.search(r"__proto__|prototype|setPrototypeOf", scripts)


def test_each_value_that_the_styles_use_is_set_and_used():
    style = assets.content("skerry.css").decode()
    assert set(re.findall(r"var\((--[\w-]+)", style)) == set(re.findall(r"(--[\w-]+):", style))
