"""A subject has one path: the same below the resources, the store and the rules."""

from pathlib import Path

import pytest

SKERRY = Path(__file__).parents[1] / "skerry"
LAYERS = ("resources", "store", "tracker")

# Pages and chapters of the reference stand side by side, so only their names are compared.
PAGES_WITHOUT_RESOURCE = {
    *("administration", "dashboard", "lists", "profile"),
    *("conversation", "ticket", "ticket_edit", "ticket_filters", "ticket_list"),
}


def paths(layer):
    """Return the paths of the modules of a layer, without the declarations of tables."""
    files = (file.relative_to(SKERRY / layer) for file in (SKERRY / layer).rglob("*.py"))
    return {file.with_suffix("") for file in files if file.parts[0] != "tables" and file.stem != "__init__"}


def subject(path):
    """Return the path of a subject: a folder named like its main module is that module."""
    return path.parent if path.parent.name == path.name else path


@pytest.mark.parametrize("layer", LAYERS)
def test_a_subject_has_the_same_path_on_every_layer(layer):
    here = {subject(path).name: subject(path) for path in paths(layer)}
    for other in set(LAYERS) - {layer}:
        for path in map(subject, paths(other)):
            assert here.get(path.name, path) == path, f"{layer}/{here.get(path.name)} and {other}/{path}"


def test_a_page_is_named_like_its_subject():
    subjects = {path.name for layer in LAYERS for path in paths(layer)}
    subjects |= {folder.name for layer in LAYERS for folder in (SKERRY / layer).iterdir()}
    pages = {file.stem for file in (SKERRY / "web" / "site" / "pages").glob("*.py")} - {"__init__"}
    assert pages - subjects - PAGES_WITHOUT_RESOURCE == set()
