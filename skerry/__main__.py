"""``python -m skerry`` is the command ``skerry``."""

import os
import signal
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
# Files contain password hashes and texts of private projects, possibly in folders open to others.
_NOBODY_ELSE = 0o077


def run() -> None:
    """Run the command; on an interruption while loading, exit silently."""
    os.umask(_NOBODY_ELSE)
    _open_streams()
    stoppable = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if stoppable:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from skerry.cli import main  # noqa: PLC0415 - slow to load

    if stoppable:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # A terminated command removes incomplete files, as an interrupted one does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()


def _open_streams() -> None:
    """Open the null device for closed standard streams, so that no file or connection takes their place."""
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            # The lowest free number is used, which is this one. Workers inherit it.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - it stays open
            os.set_inheritable(number, True)


if __name__ == "__main__":
    run()
