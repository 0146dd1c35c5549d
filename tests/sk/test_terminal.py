"""``sk`` in a terminal: tables, colours, questions."""

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.support.processes import PATIENCE, ROOT

COLOUR = "\x1b["


@pytest.fixture
def terminal(sk, server, ada, roof):
    """Runs a command in a terminal, types answers, and gives its exit code and what was shown."""

    def run(*words, types="", **environment):
        main, side = pty.openpty()
        env = {
            **{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")},
            "PYTHONPATH": ROOT,
            "TERM": "xterm",
            "COLUMNS": "90",
            "LINES": "40",
            **environment,
        }
        command = [sys.executable, "-m", "skerry.sk", *map(str, words)]
        process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env)
        os.close(side)
        os.write(main, types.encode())
        shown = b""
        try:
            while chunk := os.read(main, 65536):
                shown += chunk
        except OSError:  # Linux says so when the other side is closed
            pass
        os.close(main)
        return process.wait(PATIENCE), shown.decode().replace("\r\n", "\n")

    return run


def test_people_see_a_table_in_colours_unless_they_want_none(terminal, sk):
    sk.good("new", "It leaks " + "much " * 40, "--tag", "rain")
    code, shown = terminal("list")
    assert (code, COLOUR in shown) == (0, True)
    lines = re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()
    assert lines[0].split() == ["#", "Title", "State", "Assigned", "to", "Tags", "Updated"]
    assert "…" in lines[1]
    assert all(len(line) <= 90 for line in lines)
    assert COLOUR not in terminal("list", NO_COLOR="1")[1]
    assert COLOUR not in terminal("show", 1, TERM="dumb")[1]


def test_a_table_fits_into_a_narrow_terminal(terminal, sk):
    sk.good("new", "It leaks " + "much " * 40, "--tag", "rain")
    lines = terminal("list", COLUMNS="30", NO_COLOR="1")[1].splitlines()
    assert lines[0].split() == ["#", "Title", "State"]
    assert all(len(line) <= 30 for line in lines)


def test_a_long_conversation_goes_through_the_pager(terminal, sk):
    sk.good("new", "It leaks", "-t", "Rain\n" * 100)
    assert "paged 1" in terminal("show", 1, PAGER="sed -n '1s/.*/paged 1/p'")[1]


@pytest.mark.parametrize(("answer", "code", "state"), [("y\n", 0, "resolved"), ("n\n", 1, "new")])
def test_a_bulk_edit_asks(terminal, sk, answer, code, state):
    sk.good("new", "It leaks", "--tag", "rain")
    ended, shown = terminal("bulk", "tagged:rain", "state:resolved", types=answer)
    assert ended == code
    assert "#1 It leaks\nChange 1 ticket? [y/N]: " in shown
    assert sk.good("list").split("\t")[2] == state


def test_json_for_people_has_lines(terminal, sk):
    sk.good("new", "It leaks")
    assert '\n    "title": "It leaks",\n' in terminal("list", "--json")[1]
