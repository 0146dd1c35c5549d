"""Requirements of the HTML of every page."""

import re
from html.parser import HTMLParser

import pytest

from skerry.text.highlighting import CLASSES, LANGUAGES
from skerry.web.routes.pages import PAGES
from skerry.web.site import assets
from tests.support.route_matrix import Account

OVERRIDE = "\u202e"
"""Turns all that follows it in its line from right to left."""

ISOLATED = {"bdi", "option", "pre", "svg", "textarea", "title"}
"""Elements which end what such a sign begins; so does a text with lines of its own."""

EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
"""Elements that nothing can stand in."""

IN_A_LINE = {
    "b",
    "button",
    "code",
    "em",
    "h1",
    "h2",
    "h3",
    "i",
    "label",
    "p",
    "small",
    "span",
    "strong",
    "summary",
}
"""Elements in which there is text, and what stands in its lines."""

BLOCKS = {"article", "blockquote", "details", "div", "dl", "fieldset", "footer", "form", "header", "main"}
BLOCKS |= {"nav", "ol", "p", "pre", "section", "table", "ul"}

NAMING = ("for", "list", "form", "aria-controls", "aria-describedby", "aria-labelledby", "data-opens")
"""Attributes that name other elements of the page by their ids."""


MARK = '<input type="hidden" name="_seen" value="1">'

TYPED = {"text", "search", "number", "date", "url", "email"}
"""The kinds of inputs that show what is stored."""


def _shows_what_is_stored(tag, given):
    if tag == "input":
        return given.get("type", "text") in TYPED
    return tag == "select" or (tag == "textarea" and given["name"] != "ticket[body]")


class Restored(HTMLParser):
    """The fields that show what is stored, and that Firefox fills in again when a page is loaded anew.

    Such a field says something else then than the mark in its form of what was seen.
    """

    def __init__(self, source):
        super().__init__()
        self.found, self._fields, self._is_off, self._marked = [], [], False, False
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        is_off = given.get("autocomplete") == "off"
        name = given.get("name", "")
        if tag == "form":
            self._fields, self._is_off, self._marked = [], is_off, False
        elif (name, given.get("type")) == ("_seen", "hidden"):
            self._marked = True
        elif not (is_off or self._is_off) and _shows_what_is_stored(tag, given):
            self._fields.append(name)

    def handle_endtag(self, tag):
        if tag == "form" and self._marked:
            self.found += self._fields


class Markup(HTMLParser):
    """What is wrong with a page: ends that are missing, blocks in lines, ids that are twice or nowhere."""

    def __init__(self, source):
        super().__init__()
        self.wrong, self.ids, self._named, self._open = [], [], [], []
        self.feed(source)
        self.wrong += [f"no end of {name}" for name in self._open]
        self.wrong += [f"{name} twice" for name in set(self.ids) if self.ids.count(name) > 1]
        self.wrong += [f"{name} nowhere" for name in self._named if name not in self.ids]

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        self.ids += [given["id"]] if "id" in given else []
        self._named += " ".join(given.get(name, "") for name in NAMING).split()
        around = IN_A_LINE.intersection(self._open) if tag in BLOCKS else None
        if around:
            self.wrong.append(f"{tag} in {around}, line {self.getpos()[0]}")
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self._open.pop()

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"an end of {tag} in line {self.getpos()[0]}")


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("<p><span>x</span><br></p>", []),
        ("<p><span>x</p>", ["an end of p in line 1", "no end of p"]),
        ("<span><b></b><form></form></span>", ["form in {'span'}, line 1"]),
        ('<i id="a"></i><b id="a"></b>', ["a twice"]),
        ('<label for="a b"></label><i id="a"></i>', ["b nowhere"]),
    ],
)
def test_the_check_reports_what_is_wrong(source, wrong):
    assert Markup(source).wrong == wrong


class Turned(HTMLParser):
    """The texts of a page that turn the direction of writing for what stands behind them."""

    def __init__(self, source):
        super().__init__()
        self.found, self._open = [], []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        if tag not in EMPTY:
            self._open.append("bdi" if "prose" in (dict(attributes).get("class") or "").split() else tag)

    def handle_endtag(self, _tag):
        self._open.pop()

    def handle_data(self, data):
        if OVERRIDE in data and not ISOLATED.intersection(self._open):
            self.found.append(data)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (f'<form>{MARK}<select name="a"></select><input name="b"></form>', ["a", "b"]),
        (f'<form autocomplete="off">{MARK}<textarea name="a"></textarea></form>', []),
        (f'<form>{MARK}<input name="a" autocomplete="off"></form>', []),
        ('<form><input name="a"></form>', []),
    ],
)
def test_fields_that_a_browser_restores_are_detected(source, found):
    assert Restored(source).found == found


@pytest.mark.matrix("databases")
def test_every_page_is_well_formed_and_restores_and_turns_nothing(surfing, world, ada):
    """Firefox restores only what its reader saw in a form, and no text turns what stands behind it."""
    site, web, found = Account(world, f"{OVERRIDE}beacon").sites["public"], surfing(ada), {}
    shown = marked = 0
    for page in PAGES:
        address = site.path(page.route)
        source = web.get(address).source
        shown += OVERRIDE in source
        marked += 'name="_seen"' in source
        # What is drawn has a language of its own.
        drawn = re.sub(r"<svg.*?</svg>", "", source, flags=re.DOTALL)
        assert drawn.rstrip().endswith("</html>"), address
        found[address] = Markup(drawn).wrong + Turned(source).found + Restored(source).found
    assert {address: wrong for address, wrong in found.items() if wrong} == {}
    assert shown > 20
    assert marked > 5


def test_a_form_has_another_key_when_its_page_is_loaded_again(surfing, ada, tickets):
    keys = re.findall(r'<input[^>]* name="_key"[^>]*>', surfing(ada).get(f"{tickets}/new").source)
    # Scripts change it, and Firefox would put back what they wrote.
    assert keys
    assert all('autocomplete="off"' in key for key in keys)


def test_what_may_be_wider_than_a_window_can_be_scrolled_with_the_keyboard():
    sources = [source for source, _ in assets.templates().values()]
    wide = [tag for source in sources for tag in re.findall(r'<pre\b[^>]*>|<div class="wide"[^>]*>', source)]
    assert wide
    assert [tag for tag in wide if 'tabindex="0"' not in tag] == []


def test_no_class_that_a_text_may_have_means_anything_to_the_site():
    css = assets.content(next(name for name in assets.names() if name.endswith(".css"))).decode()
    scoped = re.sub(r"\.prose (?:\([^)]*\)|[^{,(])*", "", css)
    named = set(re.findall(r"\.([a-zA-Z][\w-]*)", scoped))
    for source, _ in assets.templates().values():
        named.update(" ".join(re.findall(r'class="([^"]*)"', source)).split())
    assert {"button", "problems"} & named
    assert not named & (CLASSES | LANGUAGES)


def test_every_form_on_a_page_of_its_own_can_be_left():
    # A bulk edit leads back to its list; a program that asks for a token is refused.
    others = {"bulk_edit_new.html", "token_request.html"}
    forms = {page.template for page in PAGES if page.path.endswith(("/new", "/edit", "/delete"))} - others
    assert len(forms) > 10
    for name in forms:
        assert re.search(r'<p class="actions"><button.*>{% trans %}Cancel', assets.templates()[name][0]), name
