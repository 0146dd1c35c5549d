"""What is worked out when a template becomes code says the same as the library would on each page."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from gettext import NullTranslations
from threading import Barrier, BrokenBarrierError

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup, escape

from skerry.web.site import assets, languages, templates
from skerry.web.site.compiling import SpokenEnvironment, shown


@pytest.mark.parametrize(
    "value",
    ["rope", "<b>", "a & b", '"', "it's", "", Markup("<b>"), escape("<b>"), 7, 0, -1, 2.5, True, None, b"<"],
)
def test_every_value_is_shown_as_the_library_shows_it(value):
    assert shown(value) == str(escape(value))


class Turned(NullTranslations):
    """A catalogue that puts the words of each sentence in another order."""

    def gettext(self, message):
        """Give the words from the last to the first."""
        return " ".join(reversed(message.split()))


@pytest.mark.parametrize(
    ("template", "page"),
    [
        ("{% trans %}Skip this{% endtrans %}", "this Skip"),
        ("{{ _('Skip this') }}", "this Skip"),
        ("{% trans count=n, who=name %}{{ who }} has {{ count }}{% endtrans %}", "3 has &lt;Ada&gt;"),
        ("{{ _('%(n)s of %(n)s', n=n) }}", "3 of 3"),
        ("{% trans %}100% done{% endtrans %}", "done 100%"),
        ("{% trans n=n %}{{ n }}% done{% endtrans %}", "done 3%"),
        ("{{ _('a') if n else _('b') }}", "a"),
        ("{% for said in (_('one two'), _('a <b>')) %}{{ said }};{% endfor %}", "two one;<b> a;"),
        ("{{ _('told to %(who)s', who=_('you there')) | upper }}", "THERE YOU TO TOLD"),
        ("{% trans n=n %}{{ n }} ticket{% pluralize %}{{ n }} tickets{% endtrans %}", "3 tickets"),
    ],
)
def test_sentences_are_said_with_their_values_in_the_language_of_the_catalogue(template, page):
    assert SpokenEnvironment(Turned()).from_string(template).render(n=3, name="<Ada>") == page


def test_what_a_template_asks_for_and_nobody_gave_is_a_mistake():
    with pytest.raises(UndefinedError):
        SpokenEnvironment(NullTranslations()).from_string("{{ ticket.title }}").render()


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_every_template_becomes_code(language):
    environment = templates.environment(language)
    for name in assets.templates():
        assert environment.get_template(name)


def test_a_page_is_compiled_once_however_many_ask_for_it_at_the_same_time(monkeypatch):
    compiled, meeting, generate = [], Barrier(2), SpokenEnvironment._generate

    def met(self, source, name, *rest, **options):
        compiled.append(name)
        # Another one that compiles comes here, too, and nobody waits for ever for one who does not.
        with suppress(BrokenBarrierError):
            meeting.wait(0.1)
        return generate(self, source, name, *rest, **options)

    templates._environment.cache_clear()
    monkeypatch.setattr(SpokenEnvironment, "_generate", met)
    with ThreadPoolExecutor(4) as threads:
        asked = [
            threads.submit(lambda: templates.environment("de").get_template("error.html")) for _ in range(4)
        ]
    assert len({each.result() for each in asked}) == 1
    assert compiled == ["error.html"]
