"""Measures the product beside another tracker that holds the same data, in the same run.

make bench ARGS="--beside roundup"
make bench ARGS="--beside redmine --postgres --seconds 9"
make bench ARGS="--beside trac --tickets 5000 --only list,search --json found.json"
"""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from bench import sample, serving
from bench.compare import beside_data
from bench.compare.beside_data import Told
from bench.compare.beside_operations import READING, Ask, Deed, SignIn, deeds
from bench.compare.beside_table import HEAD, Pair, keep, line, one_after_another
from bench.compare.beside_tracker import Tracker
from bench.compare.redmine_tracker import Redmine
from bench.compare.roundup_tracker import Roundup
from bench.compare.trac_tracker import Trac
from bench.load import CLIENT, Answer, Figures, WrongAnswerError, ask, ask_some, measure, median
from bench.report import machine
from bench.serving import Server

OTHERS: Mapping[str, type[Redmine | Roundup | Trac]] = {"redmine": Redmine, "roundup": Roundup, "trac": Trac}
FEWEST, TICKETS = 200, 2_000
WORKERS = 2

Side = tuple[Server, tuple[Ask, ...]]


@dataclass(frozen=True)
class _Both:
    """Both servers with the same data, and what is known of them."""

    ours: Server
    theirs: Server
    tracker: Tracker
    told: Told
    sign_ins: tuple[SignIn, ...]

    def deeds(self, sign_in: SignIn) -> tuple[Deed, ...]:
        return deeds(sign_in, self.told, self.tracker.asks(sign_in, self.told))


def run(options: argparse.Namespace, folder: Path) -> None:
    """Fill both, measure both in turn, print a table, and keep it even if it ends early."""
    tracker = OTHERS[options.beside](folder)
    print(f"Filling both with {options.tickets:,} tickets …", flush=True)
    with ExitStack() as running:
        both = _started(running, tracker, options, folder)
        place = "PostgreSQL" if options.postgres else "SQLite"
        print(
            f"{both.told.tickets:,} tickets of {both.told.people} people in both, on {place}, {WORKERS}"
            f" processes each; beside {', '.join(tracker.versions)}; load by {CLIENT}; {machine()}"
        )
        pairs: list[Pair] = []
        try:
            for pair in _all(both, tuple(options.only.split(","))):
                pairs.append(pair)
                print(line(pair), flush=True)
            print(f"memory: {both.ours.memory():.0f} MiB, {tracker.name} {both.theirs.memory():.0f} MiB")
        finally:
            if options.json and pairs:
                run_of = {"tickets": both.told.tickets, "workers": WORKERS, "database": place}
                keep(options.json, pairs, beside=tracker.versions, **run_of)


def _started(running: ExitStack, tracker: Tracker, options: argparse.Namespace, folder: Path) -> _Both:
    """Fill both and start them; what is told is read from SQLite, wherever it is measured."""
    fresh = running.enter_context(sample.database_url(folder, "", throw_away=options.postgres))
    made = sample.filled(f"sqlite:///{folder / 'skerry.sqlite3'}", options.tickets, shares=(1.0,))
    told = beside_data.tell(folder / "skerry.sqlite3", folder / "told.jsonl")
    if options.postgres:
        made = sample.filled(fresh, options.tickets, shares=(1.0,))
    tracker.fill(folder / "told.jsonl", sample.another() if options.postgres else None)
    ours = running.enter_context(serving.product(folder, made.url, WORKERS))
    theirs = running.enter_context(tracker.server(WORKERS))
    return _Both(ours, theirs, tracker, told, tracker.sign_ins(made.token, options.seconds))


def _all(both: _Both, only: tuple[str, ...]) -> Iterator[Pair]:
    """Measure all asked for; first what reads, so that it finds the data as they were made."""
    print(f"\n{'':27} | Skerry {'':35} | {both.tracker.name}\n{HEAD}", flush=True)
    for writes, sign_in in product((False, True), both.sign_ins):
        for deed in both.deeds(sign_in):
            if deed.writes == writes and deed.name.startswith(only):
                connections = both.tracker.writers if writes else READING
                yield from (_one(deed, sign_in, both, many) for many in connections)


def _one(deed: Deed, sign_in: SignIn, both: _Both, connections: int) -> Pair:
    """Measure both in turn, as machines have moods."""
    sides: tuple[Side, Side] = ((both.ours, deed.ours), (both.theirs, deed.theirs))
    answers = [[_checked(deed.name, server, each) for each in asks] for server, asks in sides]
    rounds = [
        [_round(side, said, connections, sign_in.seconds) for side, said in zip(sides, answers, strict=True)]
        for _ in range(sign_in.rounds)
    ]
    ours, theirs = (median(side) for side in zip(*rounds, strict=True))
    our_bytes, their_bytes = (sum(len(answer.body) for answer in said) for said in answers)
    aim = both.tracker.aims.get(deed.name)
    return Pair(deed.name, sign_in.name, connections, ours, theirs, our_bytes, their_bytes, aim)


def _round(side: Side, answers: list[Answer], connections: int, seconds: int) -> Figures:
    server, asks = side
    found = []
    for each, said in zip(asks, answers, strict=True):
        found.append(measure(server, each.request, said.head + len(said.body), connections, seconds))
        # What the load no longer waited for is still in the queue: not at the cost of who comes next.
        ask(server.port, each.request)
    return one_after_another(found)


def _checked(name: str, server: Server, wanted: Ask) -> Answer:
    """Return a usual answer; raises WrongAnswerError for a wrong one."""
    answer = ask_some(server.port, wanted.request)
    missing = [piece for piece, times in wanted.pieces.items() if answer.body.count(piece) < times]
    if answer.status != wanted.status or missing:
        said = f"{answer.status} without {missing}: {answer.body[:300]!r}"
        raise WrongAnswerError(f"{name}: {wanted.request.method} {wanted.request.path} answers {said}")
    if wanted.then:
        _checked(name, server, wanted.then)
    return answer
