"""What docs/operate.md says of settings, figures and defaults is what the program has."""

import re
from pathlib import Path
from urllib.parse import quote

from skerry import oidc_settings, server, setting_values, settings
from skerry.files.blobs import Blobs
from skerry.settings import Settings
from skerry.tracker.context import RequestedPage
from skerry.web.requests import paging
from tests.support.client import call

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "operate.md").read_text()
CODE = "".join(Path(module.__file__).read_text() for module in (settings, setting_values))

# Those that say what an answer is, and forbid what a page may not do.
LEFT_FOR_OTHER_HEADERS = 4096


def rows(heading):
    """Return the cells of the table's rows below a heading, the code marks taken off."""
    part = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| (`.+) \|$", part, re.MULTILINE)
    return [[cell.strip("` ") for cell in line.split(" | ")] for line in lines]


def test_every_setting_is_in_the_table_and_nothing_else():
    of_providers = {f"{oidc_settings.START}NAME_{part}" for part in oidc_settings.PARTS}
    known = set(re.findall(r"SKERRY_[A-Z_]+", CODE)) | of_providers
    assert sorted(name for name, *_ in rows("Settings")) == sorted(known)


def test_the_defaults_are_those_of_the_program(tmp_path):
    said = {name: default for name, _, default in rows("Settings")}
    for name in (
        "BODY_LIMIT",
        "UPLOAD_LIMIT",
        "BODY_SECONDS",
        "READ_SECONDS",
        "REQUESTS_PER_MINUTE",
        "GUEST_DAILY_BYTES",
        "GUEST_PROJECT_DAILY_BYTES",
        "DURABILITY",
        "DIALECT",
    ):
        assert said[f"SKERRY_{name}"] == str(getattr(Settings, name.lower())), name
    assert said["SKERRY_BLOBS"] == f"{Blobs(tmp_path).place.rpartition('/')[2]}` in the data folder"
    assert said["SKERRY_LOG"] == Settings.log_format
    assert said["SKERRY_THREADS"].partition(";")[0] == str(Settings().threads_for_database)
    text = " ".join(GUIDE.split())
    assert f"{postgres().connections} without the option" in text
    assert f"with 4 workers, up to {(4 + 1) * postgres().connections}" in text


def postgres():
    return Settings(database_url="postgresql+psycopg://host/name")


def test_the_readme_knows_no_other_settings():
    readme = (ROOT / "README.md").read_text()
    assert set(re.findall(r"SKERRY_[A-Z_]+", readme)) <= {name for name, *_ in rows("Settings")}


def test_every_figure_is_in_the_table_and_nothing_else(world, ada):
    ada.get("/projects")
    answer = call(world.instance.application, "GET", "/metrics").body.decode()
    assert sorted(re.findall(r"^# HELP (\w+)", answer, re.MULTILINE)) == sorted(
        name.partition("{")[0] for name, _ in rows("Watching")
    )


def test_nginx_takes_what_a_list_says_of_its_other_pages_of_the_longest_search():
    conf = (ROOT / "deploy" / "nginx.conf").read_text()
    room = re.search(r"^\s*proxy_buffer_size (\d+)k;", conf, re.MULTILINE)
    assert room
    # By itself it takes no first line of more than 8 KiB.
    searched = "ж" * (8192 // len(quote("ж")))
    said = paging.headers(
        "https://tracker.example.org/tickets", {"q": searched}, RequestedPage(2), 99, exact=True
    )
    assert said["Link"].count("rel=") == 4
    assert len(str(said)) + LEFT_FOR_OTHER_HEADERS < int(room[1]) * 1024


def test_the_proxies_close_idle_connections_before_the_server_does():
    files = {name: (ROOT / "deploy" / name).read_text() for name in ("nginx.conf", "Caddyfile")}
    after = re.findall(r"^\s*keepalive(?:_timeout)? (\d+)s", "\n".join(files.values()), re.MULTILINE)
    assert len(after) == len(files)
    assert max(map(int, after)) < server.IDLE_SECONDS
    assert f"closed after {server.IDLE_SECONDS} idle seconds" in " ".join(GUIDE.split())


def test_the_proxies_tell_browsers_to_use_tls_only():
    for name in ("nginx.conf", "Caddyfile"):
        said = (ROOT / "deploy" / name).read_text()
        assert re.search(r'Strict-Transport-Security "max-age=[0-9]{8,}"', said), name


def test_the_set_up_installs_locked_packages_only():
    installs = re.findall(r"bin/pip install (.*)", GUIDE)
    assert installs
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)


def test_no_command_in_the_documentation_shows_a_password_to_other_users_of_the_machine():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*")]
    lines = [line for page in pages if page.is_file() for line in page.read_text().splitlines()]
    assert [line for line in lines if re.search(r"\bskerry\b.* --password[ =]", line)] == []
