"""Measures the product beside its ceilings: a bare program and a constant answer, under the same server.

    make bench
    make bench ARGS="--postgres --tickets 100000 --only list-json,get-json --json found.json"
    make bench ARGS="--beside redmine"

docs/performance.md says what is measured, and how to read the table.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from bench import report, sample, serving
from bench.compare import beside
from bench.load import Answer, Request, WrongAnswerError, ask, ask_some, measure, median
from bench.operations import PER_PAGE, Operation, operations
from bench.report import Result
from bench.sample import Sample
from bench.serving import Server

CONNECTIONS = (1, 16)
FEWEST, TICKETS = 500, 10_000
WORKERS = (1, 2)
QUICK_SECONDS = 0.05
INTERRUPTED = 130


def main() -> None:
    """Measure what the command line asks for."""
    options = _options()
    # Whoever ends us otherwise than by Ctrl-C wants the servers stopped too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[Result] = []
    failure = 0
    with tempfile.TemporaryDirectory(prefix="skerry-bench-") as folder:
        try:
            if options.beside:
                beside.run(options, Path(folder))
            else:
                _measure(options, Path(folder), results)
        except KeyboardInterrupt:
            print("\nStopped.")
            failure = INTERRUPTED
        except WrongAnswerError as error:
            print(f"\nWRONG ANSWER: {error}")
            failure = 1
    if results:
        report.keep(options, results)
        if not options.quick:
            report.summary(results)
    sys.exit(failure)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tickets", type=int, help="how many; 10,000 by default")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="every operation once, for a moment, on 500 tickets",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--database",
        default="",
        metavar="URL",
        help="a PostgreSQL server on which a database is made and dropped",
    )
    where.add_argument("--postgres", action="store_true", help="start a throw-away PostgreSQL")
    where.add_argument(
        "--kept", default="", metavar="URL", help="data that bench/data.py made; they are written to"
    )
    parser.add_argument(
        "--beside", choices=list(beside.OTHERS), help="beside another tracker, 2,000 tickets by default"
    )
    parser.add_argument(
        "--workers", type=_numbers, default=WORKERS, metavar="1,2", help="how many workers, one run for each"
    )
    parser.add_argument(
        "--seconds",
        type=int,
        default=3,
        help="how long for each figure, in rounds of one second; 3 by default",
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="NAMES",
        help="operations between commas, or the beginnings of their names",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the results in a file")
    parser.add_argument(
        "--compare", type=Path, metavar="FILE", help="show the results of such a file beside the new ones"
    )
    options = parser.parse_args()
    least, usual = (beside.FEWEST, beside.TICKETS) if options.beside else (FEWEST, TICKETS)
    options.tickets = usual if options.tickets is None else options.tickets
    options.round, options.connections = 1.0, CONNECTIONS
    if options.quick:
        options.tickets, options.workers, options.seconds = least, (1,), 1
        options.round, options.connections = QUICK_SECONDS, (1,)
    if options.beside and (options.compare or options.workers != WORKERS or options.database or options.kept):
        parser.error("--beside goes with --postgres, --tickets, --seconds, --only and --json")
    if options.beside and options.postgres and not beside.OTHERS[options.beside].on_postgres:
        parser.error(f"--beside {options.beside} is measured on SQLite only")
    if options.tickets < least or options.seconds < 1:
        parser.error(f"at least {least:,} tickets and 1 second")
    return options


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(piece) for piece in text.split(","))


def _measure(options: argparse.Namespace, folder: Path, results: list[Result]) -> None:
    """Fill the database and measure everything; what was found is in ``results`` even if it ends early."""
    earlier = report.earlier(options.compare)
    with sample.database_url(folder, options.database, throw_away=options.postgres) as fresh:
        url = options.kept or fresh
        report.opening(options, url)
        made = sample.kept(url) if options.kept else sample.filled(url, options.tickets)
        for workers in options.workers:
            with ExitStack() as running:
                product = running.enter_context(serving.product(folder, url, workers))
                base = f"http://127.0.0.1:{product.port}"
                bare = running.enter_context(serving.bare(folder, url, workers, base))
                for connections in options.connections:
                    report.heading(workers, connections)
                    for result in _round(options, made, product, bare, workers, connections):
                        results.append(result)
                        report.line(result, earlier)


def _round(
    options: argparse.Namespace, made: Sample, product: Server, bare: Server, workers: int, connections: int
) -> Iterator[Result]:
    for operation in operations(made.token, made.tickets_to_change, made.pages):
        if options.only and not operation.name.startswith(tuple(options.only.split(","))):
            continue
        if options.quick:
            operation = replace(operation, least=None)  # noqa: PLW2901 - a moment says nothing of aims
        yield _one(operation, product, bare, options, Result(operation, workers, connections))


def _one(
    operation: Operation, product: Server, bare: Server, options: argparse.Namespace, result: Result
) -> Result:
    """Measure one operation and its ceilings in turn, a round each, as machines have moods."""
    request, answer = _checked(operation, product.port)
    constant = replace(request, path=f"/constant/{len(answer.body)}", headers={})
    sides = [(product, request, answer), (bare, constant, _beside(bare.port, constant))]
    if operation.bare:
        same = replace(request, path=operation.bare, headers={})
        sides.append((bare, same, _beside(bare.port, same, answer if operation.same else None)))
    rounds = [
        [
            measure(server, asked, said.head + len(said.body), result.connections, options.round)
            for server, asked, said in sides
        ]
        for _ in range(options.seconds)
    ]
    figures, ceiling, *beside = (median(side) for side in zip(*rounds, strict=True))
    return replace(
        result,
        size=len(answer.body),
        figures=figures,
        memory=product.memory(),
        constant=ceiling,
        bare=beside[0] if beside else None,
    )


def _beside(port: int, request: Request, same: Answer | None = None) -> Answer:
    """Return the bare program's answer, which must be the product's where ``same`` is given."""
    answer = ask_some(port, request)
    if answer.status != 200 or (same and answer.body != same.body):  # noqa: PLR2004 - nothing else is right
        said = f"{answer.status}: {answer.body[:300]!r}"
        raise WrongAnswerError(f"The bare program answers {request.path} with {said}")
    return answer


def _checked(operation: Operation, port: int) -> tuple[Request, Answer]:
    """Return the request as it will be sent and the answer to it; raises WrongAnswerError for a wrong one."""
    request = operation.request
    if operation.conditional:
        tag = ask(port, request).headers.get("ETag", "")
        request = replace(request, headers={**request.headers, "If-None-Match": tag})
    answer = ask_some(port, request)
    times = answer.body.count(operation.piece)
    exact = operation.times == PER_PAGE
    if answer.status != operation.status or times < operation.times or (exact and times != PER_PAGE):
        said = f"{answer.status}, {times} times {operation.piece!r}: {answer.body[:300]!r}"
        raise WrongAnswerError(f"{operation.name} answers {said}")
    return request, answer


if __name__ == "__main__":
    main()
