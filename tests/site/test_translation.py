"""Templates speak the language of their catalogue, escape every value and fail where a value is missing."""

from gettext import NullTranslations

import pytest
from jinja2 import UndefinedError

from skerry import languages
from skerry.web.site import assets, templates
from skerry.web.site.translation import TranslatingEnvironment


class Reversed(NullTranslations):
    """A catalogue that puts the words of each sentence in reverse order."""

    def gettext(self, message):
        """Return the words from the last to the first."""
        return " ".join(reversed(message.split()))


@pytest.mark.parametrize(
    ("template", "page"),
    [
        ("{% trans %}Skip this{% endtrans %}", "this Skip"),
        ("{{ _('Skip this') }}", "this Skip"),
        ('{{ _("Skip this") }}', "this Skip"),
        ('{{ _("It\'s here") }}', "here It's"),
        ("{% trans count=n, who=name %}{{ who }} has {{ count }}{% endtrans %}", "3 has &lt;Ada&gt;"),
        ("{{ _('%(n)s of %(n)s', n=n) }}", "3 of 3"),
        ("{% trans %}100% done{% endtrans %}", "done 100%"),
        ('{{ _("a") if n else _("b") }}', "a"),
        ('{% for said in (_("one two"), _("a <b>")) %}{{ said }};{% endfor %}', "two one;<b> a;"),
        ("{% trans n=n %}{{ n }} ticket{% pluralize %}{{ n }} tickets{% endtrans %}", "3 tickets"),
        ("{{ name }}", "&lt;Ada&gt;"),
    ],
)
def test_sentences_are_translated_and_values_escaped(template, page):
    assert TranslatingEnvironment(Reversed()).from_string(template).render(n=3, name="<Ada>") == page


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError):
        TranslatingEnvironment(NullTranslations()).from_string("{{ ticket.title }}{{ title }}").render()


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_every_template_compiles(language):
    environment = templates.environment(language)
    for name in assets.templates():
        assert environment.get_template(name)


@pytest.mark.parametrize(("language", "label"), [("en", "Code block"), ("de", "Quelltext")])
def test_code_in_a_text_can_be_scrolled_and_is_named_in_the_readers_language(
    surfing, ada, roof, language, label
):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "    drip()"}})
    web = surfing(ada)
    web.cookies["skerry-language"] = language
    pre = f'<pre tabindex="0" role="group" aria-label="{label}">'
    assert pre in web.get(f"/projects/{roof}/tickets/1").source
