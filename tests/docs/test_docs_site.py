"""The documentation site builds without a warning, and its pages lead to each other and nowhere else."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from skerry.web.routes.table import ROUTES
from tests.support.processes import ROOT

LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]+)"')
LOADED = re.compile(r'<(?:script|img|iframe|source|object)\b[^>]*?\b(?:src|data)="([^"]+)"|<link\b([^>]+)>')


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The text of each page of the site."""
    folder = tmp_path_factory.mktemp("site")
    places = ["-d", str(folder / "parsed"), "-c", "docs", ".", str(folder / "html")]
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", *places]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return {page: page.read_text(encoding="utf-8") for page in (folder / "html").rglob("*.html")}


def test_no_link_of_the_site_is_dead(pages):
    names = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    dead = []
    for page, text in pages.items():
        for link in LINK.findall(text):
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            is_known = target in names or (not parts.fragment and target.is_file())
            if not is_known or (parts.fragment and unquote(parts.fragment) not in names[target]):
                dead.append((page.name, link))
    assert dead == []


def test_every_page_has_one_first_heading(pages):
    # A script writes that of the search.
    written = {page.name: text for page, text in pages.items() if page.name != "search.html"}
    assert [name for name, text in written.items() if len(re.findall(r"<h1\b", text)) != 1] == []


def test_the_site_loads_nothing_from_elsewhere(pages):
    loaded = {
        address
        for text in pages.values()
        for source, link in LOADED.findall(text)
        for address in (re.findall(r'href="([^"]+)"', link) if link else [source])
    }
    assert [address for address in loaded if re.match(r"(\w+:)?//", address)] == []


def test_the_site_begins_with_the_readme_and_finds_its_pages(pages):
    [index] = [page for page in pages if page.name == "index.html"]
    assert "self-hosted issue tracker" in pages[index]
    found = (index.parent / "searchindex.js").read_text(encoding="utf-8")
    written = [*Path(ROOT).glob("*.md"), *Path(ROOT, "docs").rglob("*.md")]
    names = [str(page.relative_to(ROOT).with_suffix("")) for page in written]
    assert [name for name in names if f'"{name}"' not in found] == []


def test_every_operation_is_on_the_page_about_them(pages):
    [text] = [text for page, text in pages.items() if page.name == "operations.html"]
    listed = {re.sub("<[^>]+>", "", each) for each in re.findall(r"<td><p><code.*?</code>", text)}
    assert {f"{route.method} {route.path}" for route in ROUTES} <= listed
