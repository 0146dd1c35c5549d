"""Measures the product beside another tracker that holds the same data, in the same run.

make bench ARGS="--beside roundup"
make bench ARGS="--beside roundup --tickets 5000 --only list,search --json found.json"
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path

from bench import beside_data, roundup_tracker, sample, serving
from bench.beside_data import Told
from bench.beside_operations import READING, WRITING, Ask, Deed, SignIn, deeds, sign_ins
from bench.beside_table import HEAD, Pair, keep, line, one_after_another
from bench.load import CLIENT, Answer, Figures, WrongAnswerError, ask, measure, median
from bench.report import machine
from bench.serving import Server

FEWEST, TICKETS = 200, 2_000
WORKERS = 2
WARM_UP = 6

Side = tuple[Server, tuple[Ask, ...]]


def run(options: argparse.Namespace, folder: Path) -> None:
    """Fill both, measure both in turn, print a table, and keep it even if it ends early."""
    interpreter = roundup_tracker.python()
    print(f"Filling both with {options.tickets:,} tickets …", flush=True)
    made = sample.filled(f"sqlite:///{folder / 'skerry.sqlite3'}", options.tickets, shares=(1.0,))
    told = beside_data.tell(folder / "skerry.sqlite3", folder / "told.jsonl")
    tracker = roundup_tracker.filled(interpreter, folder, folder / "told.jsonl")
    print(
        f"{told.tickets:,} tickets of {told.people} people in both, on SQLite, {WORKERS} processes each;"
        f" beside {' '.join(roundup_tracker.PINS)}; load by {CLIENT}; {machine()}"
    )
    pairs: list[Pair] = []
    with ExitStack() as running:
        ours = running.enter_context(serving.product(folder, made.url, WORKERS))
        theirs = running.enter_context(roundup_tracker.server(interpreter, folder, tracker, WORKERS))
        both = sign_ins(made.token, tracker.token, options.seconds)
        try:
            for pair in _all(both, told, ours, theirs, tuple(options.only.split(","))):
                pairs.append(pair)
                print(line(pair), flush=True)
            print(f"memory: {ours.memory():.0f} MiB, Roundup {theirs.memory():.0f} MiB")
        finally:
            if options.json and pairs:
                keep(options.json, pairs, tickets=told.tickets, workers=WORKERS, beside=roundup_tracker.PINS)


def _all(
    both: Sequence[SignIn], told: Told, ours: Server, theirs: Server, only: tuple[str, ...]
) -> Iterator[Pair]:
    """Measure all that is asked for; first what reads, so that it finds the data as they were made."""
    print(f"\n{'':27} | ours {'':37} | Roundup\n{HEAD}", flush=True)
    for connections, sign_in in product((READING, WRITING), both):
        for deed in deeds(sign_in, told):
            if deed.connections == connections and deed.name.startswith(only):
                yield from (_one(deed, sign_in, ours, theirs, many) for many in connections)


def _one(deed: Deed, sign_in: SignIn, ours: Server, theirs: Server, connections: int) -> Pair:
    """Measure both in turn, as machines have moods."""
    sides: tuple[Side, Side] = ((ours, deed.ours), (theirs, deed.theirs))
    answers = [[_checked(deed.name, server, each) for each in asks] for server, asks in sides]
    rounds = [
        [_round(side, said, connections, sign_in.seconds) for side, said in zip(sides, answers, strict=True)]
        for _ in range(sign_in.rounds)
    ]
    ours_found, theirs_found = (median(side) for side in zip(*rounds, strict=True))
    our_bytes, their_bytes = (sum(len(answer.body) for answer in said) for said in answers)
    return Pair(deed.name, sign_in.name, connections, ours_found, theirs_found, our_bytes, their_bytes)


def _round(side: Side, answers: list[Answer], connections: int, seconds: int) -> Figures:
    server, asks = side
    found = []
    for each, said in zip(asks, answers, strict=True):
        found.append(measure(server, each.request, said.head + len(said.body), connections, seconds))
        # What the load no longer waited for is still in the queue: not at the cost of who comes next.
        ask(server.port, each.request)
    return one_after_another(found)


def _checked(name: str, server: Server, wanted: Ask) -> Answer:
    """Give the last of some answers; raises WrongAnswerError for a wrong one."""
    answer = [ask(server.port, wanted.request) for _ in range(WARM_UP)][-1]
    missing = [piece for piece, times in wanted.pieces.items() if answer.body.count(piece) < times]
    if answer.status != wanted.status or missing:
        said = f"{answer.status} without {missing}: {answer.body[:300]!r}"
        raise WrongAnswerError(f"{name}: {wanted.request.method} {wanted.request.path} answers {said}")
    return answer
