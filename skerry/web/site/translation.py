"""The Jinja environment of one language, with autoescaping."""

import re
from gettext import NullTranslations

from jinja2 import Environment, FunctionLoader, StrictUndefined
from jinja2.ext import Extension

from skerry.web.site import assets

# A sentence without values, as a block or as a string in an expression.
_BLOCK = re.compile(r"{% trans %}((?:(?!{[{%]).)*){% endtrans %}\n?", re.DOTALL)
_STRING = re.compile(r'\b_\("([^"\\]*)"\)')


class TranslatingEnvironment(Environment):
    """An environment with the translations of one catalogue."""

    # In templates a dot means an attribute, and keys are in brackets. The type checker sees an overloaded
    # builtin.
    getattr = staticmethod(getattr)  # type: ignore[assignment]

    def __init__(self, catalogue: NullTranslations) -> None:
        """Create an environment that loads templates from the package."""
        self.catalogue = catalogue
        super().__init__(
            loader=FunctionLoader(_source),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.i18n", SentencesFirst],
        )
        # The extension adds this method to the environment at run time.
        self.install_gettext_translations(catalogue, newstyle=True)  # type: ignore[attr-defined]


class SentencesFirst(Extension):
    """Translates sentences without values when a template is compiled, so that rendering needs no look-up."""

    environment: TranslatingEnvironment

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the source with these sentences translated."""
        del name, filename
        source = _BLOCK.sub(lambda match: self._translated(match[1]), source)
        return _STRING.sub(lambda match: f"({self._translated(match[1])!r} | safe)", source)

    def _translated(self, sentence: str) -> str:
        # In the catalogue % is doubled.
        return self.environment.catalogue.gettext(sentence.replace("%", "%%")).replace("%%", "%")


def _source(name: str) -> tuple[str, str, None] | None:
    source = assets.templates().get(name)
    return (*source, None) if source else None
