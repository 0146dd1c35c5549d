"""The files for containers name only what the product has."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
import yaml

from skerry import cli, setting_values, settings
from tests.support import reverse_proxies

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
CODE = "".join(Path(module.__file__).read_text() for module in (settings, setting_values))
KNOWN = set(re.findall(r"SKERRY_[A-Z_]+", CODE))


def test_every_setting_in_the_files_exists():
    for name in ("Containerfile", "compose.yaml", "Caddyfile", "skerry-backup.service", "skerry.service"):
        assert set(re.findall(r"SKERRY_[A-Z_]+", (DEPLOY / name).read_text())) <= KNOWN, name


def test_every_file_that_is_copied_or_mounted_exists():
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", CONTAINERFILE, re.MULTILINE)
    assert copied
    assert all((ROOT / each).exists() for line in copied for each in line.split())
    sent = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    assert sent == {each.partition("/")[0] for line in copied for each in line.split()}
    build = SERVICES["skerry"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).samefile(DEPLOY / "Containerfile")
    mounted = [each.split(":")[0] for service in SERVICES.values() for each in service.get("volumes", ())]
    assert all((DEPLOY / each).exists() if "/" in each else each in COMPOSE["volumes"] for each in mounted)


def options_of(words):
    """Check the options of a command of the program."""
    name, *rest = words
    command = cli.commands.get_command(click.Context(cli.commands), name)
    known = {option for each in command.params for option in each.opts}
    assert {word for word in rest if word.startswith("--")} <= known


def test_every_command_in_the_files_exists():
    backup = SERVICES["backup"]
    lines = [
        " ".join(json.loads(re.findall(r"^CMD (\[.+\])$", CONTAINERFILE, re.MULTILINE)[-1])),
        *re.findall(r"skerry backup [^;]+", backup["command"][-1]),
        backup["healthcheck"]["test"][-1],
    ]
    assert len(lines) == 3
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "skerry"
        options_of(words)


def test_the_image_runs_as_its_own_user_with_locked_packages_and_a_health_check():
    last = CONTAINERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER skerry$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    assert "/health'" in last
    assert "pip" not in last
    assert all(
        "--require-hashes" in each or "--no-deps" in each
        for each in re.findall(r"pip install .+", CONTAINERFILE)
    )


def test_skerry_trusts_the_address_of_caddy_which_nobody_else_gets():
    address = SERVICES["caddy"]["networks"]["default"]["ipv4_address"]
    assert SERVICES["skerry"]["environment"]["SKERRY_TRUSTED_PROXIES"] == address
    for name, service in SERVICES.items():
        assert "ports" not in service or name == "caddy"


def test_caddy_accepts_its_file_and_takes_the_names_of_the_environment():
    program = reverse_proxies.path("caddy") or pytest.skip(
        "caddy, which tools/proxies.sh brings, is not installed here"
    )
    named = {**SERVICES["caddy"]["environment"], "TRACKER_HOST": "roof.example"}
    for environment, host, upstream in (
        ({}, reverse_proxies.HOST, "127.0.0.1:8000"),
        (named, "roof.example", "skerry:8000"),
    ):
        said = subprocess.run(
            [program, "adapt", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert f'"host":["{host}"]' in said
        assert f'"dial":"{upstream}"' in said
