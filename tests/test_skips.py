"""What is not tested on a machine is said at the end of a run."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

CONFTEST = """
from tests.support import skips

def pytest_terminal_summary(terminalreporter):
    skips.summary(terminalreporter)
"""

TESTS = """
import pytest

@pytest.mark.skipif(True, reason="there is no rain here")
@pytest.mark.parametrize("roof", range(2))
def test_it_leaks(roof): pass

def test_it_freezes(): pytest.skip("there is no frost here")

def test_it_stands(): pass
"""


def test_the_end_of_a_run_counts_the_skipped_tests_by_reason(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_weather.py").write_text(TESTS)
    words = [sys.executable, "-m", "pytest", "--rootdir", tmp_path, "-c", os.devnull, tmp_path]
    done = subprocess.run(words, cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE)
    _, reasons = done.stdout.split("3 TESTS WERE SKIPPED")
    assert reasons.splitlines()[2:4] == [
        "2 of them: there is no rain here",
        "1 of them: there is no frost here",
    ]
