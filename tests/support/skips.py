"""The summary at the end of a run, of the tests that were skipped."""

from collections import Counter


def summary(reporter):
    """Say for each reason how many tests were skipped."""
    reasons = Counter(_reason(report) for report in reporter.stats.get("skipped", ()))
    if reasons:
        reporter.section(f"{reasons.total()} TESTS WERE SKIPPED", red=True)
    for reason, count in reasons.most_common():
        reporter.write_line(f"{count} of them: {reason}", red=True)


def _reason(report):
    found = report.longrepr
    return found[2].removeprefix("Skipped: ") if isinstance(found, tuple) else str(found)
