"""How templates become code: what is known by then is worked out once, and not again for each page."""

import re
from collections.abc import Iterator
from gettext import NullTranslations
from threading import RLock
from typing import Any, TypeGuard

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

from skerry.web.site import assets

_VALUE = re.compile(r"%\((\w+)\)s")


def shown(value: object) -> str:
    """Give a value as HTML, as ``escape`` does; for what most values are it takes a quarter of the time."""
    if type(value) is str:
        special = "&" in value or "<" in value or ">" in value or '"' in value or "'" in value
        return escape(value) if special else value
    if type(value) is Markup:
        return value
    return str(value) if type(value) is int else escape(value)


class _Generator(CodeGenerator):
    """Writes templates as code in which values are shown with the function above."""

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - what the library calls
        # A dot in a template means an attribute; keys stand in brackets.
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def _output_child_pre(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        del node, frame, finalize
        self.write("environment.shown(")


def _source(name: str) -> tuple[str, str, None] | None:
    found = assets.templates().get(name)
    return (*found, None) if found else None


class SpokenEnvironment(Environment):
    """An environment whose templates say everything in the language of a catalogue, and escape all values."""

    code_generator_class = _Generator
    shown = staticmethod(shown)

    def __init__(self, catalogue: NullTranslations) -> None:
        """Read templates from the package."""
        super().__init__(
            loader=FunctionLoader(_source),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.i18n"],
        )
        # The extension adds this to every environment, which types cannot know.
        self.install_gettext_translations(catalogue, newstyle=True)  # type: ignore[attr-defined]
        self._catalogue = catalogue
        self._compiling = RLock()

    def _load_template(self, *asked: Any) -> Template:
        # When the program is new, each of many threads would compile the same page for itself.
        with self._compiling:
            return super()._load_template(*asked)

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        _Translator(self._catalogue).visit(source)
        return super()._generate(source, name, filename, defer_init)


class _Translator(NodeTransformer):
    """Puts translations where sentences stand in a template; those with a plural wait for their number."""

    def __init__(self, catalogue: NullTranslations) -> None:
        self._catalogue = catalogue

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 - what the library calls
        node.nodes = [piece for each in node.nodes for piece in self._pieces(each)]
        self.generic_visit(node)
        return node

    def _pieces(self, node: nodes.Expr) -> Iterator[nodes.Expr]:
        """Give what a sentence is made of: words and values in turn."""
        if not _is_sentence(node):
            yield node
            return
        values = {each.key: each.value for each in node.kwargs}
        words, *rest = _VALUE.split(self._said(node))
        yield nodes.TemplateData(_plain(words))
        for name, words in zip(rest[::2], rest[1::2], strict=True):
            yield from (values[name], nodes.TemplateData(_plain(words)))

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802 - what the library calls
        if _is_sentence(node) and not node.kwargs:
            return nodes.Const(Markup(_plain(self._said(node))))  # noqa: S704 - from our own catalogue
        self.generic_visit(node)
        return node

    def _said(self, node: nodes.Call) -> str:
        (sentence,) = node.args
        return self._catalogue.gettext(sentence.as_const())


def _is_sentence(node: nodes.Expr) -> TypeGuard[nodes.Call]:
    return (
        isinstance(node, nodes.Call)
        and isinstance(node.node, nodes.Name)
        and node.node.name in ("gettext", "_")
        and all(isinstance(argument, nodes.Const) for argument in node.args)
    )


def _plain(words: str) -> str:
    # Sentences for pages are patterns, in which a % stands twice.
    return words.replace("%%", "%")
