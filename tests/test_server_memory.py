"""What a server's worker holds of the memory of the machine after something that needed much of it."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.programs import serving, until
from tests.speaking import basic


def held(program):
    """Give the MiB that the only worker of a server holds, the pages of files apart."""
    main = program.process.pid
    (worker,) = Path(f"/proc/{main}/task/{main}/children").read_text().split()
    return int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{worker}/status").read_text())[1]) / 1024


def test_passwords_that_were_checked_leave_no_memory_behind(tmp_path):
    def guess(number):
        return program.get("/projects.json", **basic(f"guest{number}@example.org", "wrong"))[0]

    with serving(tmp_path, "--workers", "1") as program, ThreadPoolExecutor(8) as pool:
        before = held(program)
        assert set(pool.map(guess, range(40))) == {401}
        until(lambda: held(program) < before + 40, "memory that is given back")
