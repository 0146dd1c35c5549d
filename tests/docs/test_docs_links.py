"""Links in the documentation, and the files that the architecture page names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.joinpath("docs").rglob("*.md")])
SKERRY = ROOT / "skerry"
FOLDERS = (ROOT, SKERRY, SKERRY / "web" / "templates", SKERRY / "store", ROOT / "tests")


def links(page):
    text = re.sub(r"```.*?```|`[^`\n]+`", "", page.read_text(), flags=re.DOTALL)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


def headings(page):
    """Return the names under which the headings of a page are reached."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page):
    for link in links(page):
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def test_the_architecture_shows_every_layer():
    layers = (ROOT / "docs" / "architecture.md").read_text().partition("## Layers")[2].partition("##")[0]
    names = [
        path.name for path in SKERRY.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    ]
    assert [name for name in names if not name.startswith("__") and name not in layers] == []
    assert [name for name in re.findall(r"^  .*?(\w+\.py)", layers, re.MULTILINE) if name not in names] == []


def test_the_files_that_the_architecture_names_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"`([a-z_/]+(?:/|\.py|\.html))`", text)
    assert len(named) > 50
    for name in named:
        assert any((folder / name).exists() for folder in FOLDERS), name


def test_the_architecture_is_read_in_one_go():
    assert len((ROOT / "docs" / "architecture.md").read_text().splitlines()) <= 200
