"""Counts that forked processes have in common."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

from hypothesis import given
from hypothesis import strategies as st

from skerry.web.shared_counts import SharedCounts
from tests.programs import PATIENCE, ROOT

FORKED = """if True:
    import os, signal
    from skerry.web.shared_counts import SharedCounts

    counts = SharedCounts()
    try:
        with counts.alone():
            raise ValueError
    except ValueError:
        pass
    children = []
    for _ in range(3):
        children.append(os.fork())
        if not children[-1]:
            for moment in range(1, 20_001):
                with counts.alone():
                    number, _ = counts.get("all") or (0, 0)
                    counts.put("all", number + 1, moment)
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    child = os.fork()
    if not child:
        with counts.alone():
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    with counts.alone():
        print(*counts.get("all"))
"""


def test_forked_processes_count_together_and_one_that_fails_or_is_killed_stops_nobody():
    done = subprocess.run(
        [sys.executable, "-c", FORKED], cwd=ROOT, capture_output=True, check=True, text=True, timeout=PATIENCE
    )
    assert done.stdout == "60000.0 20000.0\n"


def test_threads_count_together():
    counts = SharedCounts(8)

    def count(_):
        for _ in range(300):
            with counts.alone():
                number, _ = counts.get("all") or (0, 0)
                sleep(0)  # Another thread may come in between.
                counts.put("all", number + 1, 1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, range(4)))
    assert counts.get("all") == (1200, 1)


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(-9, 9), st.floats(1, 9)), max_size=40))
def test_what_was_put_last_is_remembered_of_as_many_as_there_are_places(puts):
    counts, known = SharedCounts(8), {}
    for key, number, moment in puts:
        counts.put(key, number, moment)
        known[key] = (number, moment)
    assert {key: counts.get(key) for key in "abcdefgh"} == {key: known.get(key) for key in "abcdefgh"}


def test_a_guesser_with_many_names_makes_nobody_be_forgotten():
    counts, names = SharedCounts(), [str(number) for number in range(1000)]
    for moment, name in enumerate(names, 1):
        counts.put(name, 1.0, moment)
    assert all(counts.get(name) for name in names)


@given(st.permutations(range(1, 13)))
def test_where_all_places_are_taken_the_earliest_is_forgotten(moments):
    counts, known = SharedCounts(8), []
    for moment in moments:
        counts.put(str(moment), 1.0, moment)
        known = [*sorted(known)[max(0, len(known) - 7) :], moment]
    assert [moment for moment in range(1, 13) if counts.get(str(moment))] == sorted(known)
