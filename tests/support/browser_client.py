"""How tests read the web site: a browser without scripts that keeps cookies, follows and fills in forms."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urldefrag, urlencode, urljoin, urlsplit

from tests.support import forms
from tests.support.client import call

PLAIN = ("taken", "language", "zone", "theme", "rows", "keys", "dismissed")
"""The cookies that scripts read."""

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass
class Form:
    """One form of a page: what it would send as it stands."""

    action: str
    method: str = "get"
    fields: list[tuple[str, str]] = field(default_factory=list)
    files: bool = False
    text: str = ""

    def filled(self, **values):
        """Return what is sent when fields have these values, ``None`` leaving one out."""
        sent = [(name, value) for name, value in self.fields if name not in values]
        for name, value in values.items():
            found = [value] if not isinstance(value, list) else value
            sent += [(name, str(each)) for each in found if each is not None]
        return sent


class Reading(HTMLParser):
    """Gathers the forms, links and text of a page."""

    def __init__(self, source):
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[tuple[str, str]] = []
        self.text = ""
        self._form: Form | None = None
        self._select: str | None = None
        self._area: str | None = None
        self._link: str | None = None
        self._silent = 0
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        if tag in ("script", "style", "title"):
            self._silent += 1
        # The search of the side bar stands on every page, beside a search that belongs to one.
        if tag == "form" and given.get("class") != "jump":
            self._form = Form(given.get("action", ""), given.get("method", "get").lower())
            self._form.files = given.get("enctype") == "multipart/form-data"
            self.forms.append(self._form)
        elif tag == "a" and "href" in given:
            self._link = given["href"]
            self.links.append((given["href"], ""))
        elif self._form is not None and given.get("name"):
            self._field(tag, given)
        if tag == "option" and self._form is not None and self._select:
            self._option(given)

    def _option(self, given):
        others = [pair for pair in self._form.fields if pair[0] != self._select]
        if "selected" in given or others == self._form.fields:
            self._form.fields = [*others, (self._select, given.get("value", ""))]

    def _field(self, tag, given):
        name, kind = given["name"], given.get("type", "text")
        if tag == "select":
            self._select = name
        elif tag == "textarea":
            self._area = name
            self._form.fields.append((name, ""))
        elif tag == "input" and kind in ("checkbox", "radio"):
            if "checked" in given:
                self._form.fields.append((name, given.get("value", "on")))
        elif tag == "input" and kind not in ("submit", "file", "button"):
            self._form.fields.append((name, given.get("value", "")))

    def handle_endtag(self, tag):
        if tag in ("script", "style", "title"):
            self._silent -= 1
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self._area = None
        elif tag == "a":
            self._link = None

    def handle_data(self, data):
        if self._silent:
            return
        if self._area:
            name, value = self._form.fields[-1]
            self._form.fields[-1] = (
                name,
                value + (data[1:] if not value and data.startswith("\n") else data),
            )
            return
        self.text += data
        if self._form is not None:
            self._form.text += data
        if self._link is not None:
            href, text = self.links[-1]
            self.links[-1] = (href, text + data)


@dataclass
class Page:
    """One page as it came: ``text`` is what is read, with single blanks."""

    path: str
    status: int
    headers: dict[str, str]
    source: str

    @cached_property
    def reading(self):
        """The forms, links and text; to find them takes as long as to make the page."""
        return Reading(self.source)

    @property
    def text(self):
        return re.sub(r"\s+", " ", self.reading.text).strip()

    @property
    def links(self):
        return [href for href, _ in self.reading.links]

    def form(self, action, method=None):
        """Return the form that leads to an address, by the method it means."""
        for form in self.reading.forms:
            means = dict(form.fields).get("_method", form.method).lower()
            if urlsplit(form.action or self.path).path == action and method in (None, means):
                return form
        named = [(dict(form.fields).get("_method", form.method), form.action) for form in self.reading.forms]
        raise AssertionError(f"no form leads to {action} ({method}), only {named}")


@dataclass
class WebClient:
    """Somebody at a browser without scripts."""

    application: Any
    host: str
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def send(self, method, path, body=b"", kind=None, *, follow=True, **headers):
        """Send a request and follow where the answer leads, unless told not to."""
        sent = {"Host": self.host, "Accept": ACCEPT, **self.headers}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if kind:
            sent["Content-Type"] = kind
        answer = call(self.application, method, path, body=body, headers=sent, address=self.host)
        for cookie in answer.cookies:
            self._keep(cookie)
        if follow and answer.status == 303:
            # The part of a page is the browser's own affair.
            return self.get(urldefrag(urljoin(path, answer.headers["location"])).url)
        return Page(path, answer.status, answer.headers, answer.body.decode())

    def _keep(self, cookie):
        name, _, rest = cookie.partition("=")
        # Only what is no secret is for scripts, and nothing for other sites.
        is_plain = name.rpartition("-")[2] in PLAIN
        assert ("; HttpOnly" in rest) is not is_plain, cookie
        assert "; SameSite=Lax" in rest, cookie
        assert ("; Secure" in rest) is name.startswith("__"), cookie
        self.cookies[name] = rest.partition(";")[0]

    def submit(self, page, action, method=None, *, follow=True, files=None, **values):
        """Fill in the form of a page that leads to an address, and send it.

        Names with brackets are given as ``**{"ticket[title]": "Leak"}``.
        """
        form = page.form(action, method)
        pairs = form.filled(**values)
        address = urljoin(page.path, form.action or page.path)
        if form.method == "get":
            return self.get(f"{urldefrag(address).url}?{urlencode(pairs)}")
        if form.files:
            body, kind = forms.form(*(forms.field(*pair) for pair in pairs), *(files or [])), forms.KIND
        else:
            body, kind = urlencode(pairs).encode(), "application/x-www-form-urlencoded"
        return self.send("POST", address, body, kind, follow=follow)

    def press(self, page, wanted, files=None, **values):
        """Send the first form of a page that has a field or a text."""
        form = next(form for form in page.reading.forms if wanted in form.text or wanted in dict(form.fields))
        page.reading.forms[:] = [form]
        return self.submit(page, urlsplit(form.action).path, files=files, **values)

    def remove(self, page, address, **values):
        """Follow the link that leads to removing what stands at an address, and confirm it there."""
        link = next(href for href in page.links if urlsplit(href).path == f"{address}/delete")
        return self.submit(self.get(link), address, "delete", **values)

    def sign_in(self, email, password, wanted="/"):
        """Sign in by the page for it."""
        page = self.get(f"/sign-in?{urlencode({'next': wanted})}")
        return self.submit(page, "/sign-in", email=email, password=password)


def query_of(path):
    """Return the parameters of an address."""
    return dict(parse_qsl(urlsplit(path).query))
