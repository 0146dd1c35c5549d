"""``python -m skerry`` is the command ``skerry``."""

import os
import signal
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
# What is made holds hashes of passwords and texts of private projects, also where others may enter.
_NOBODY_ELSE = 0o077


def run() -> None:
    """Run the command; interrupted while it is being loaded it ends without a trace, and later in words."""
    os.umask(_NOBODY_ELSE)
    _open_streams()
    stoppable = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if stoppable:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from skerry.cli import main  # noqa: PLC0415 - loading this takes a moment

    if stoppable:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # A command that is told to end removes what is half done, as one that is interrupted does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()


def _open_streams() -> None:
    """Put nothing where a standard stream is closed, so that no file or connection takes its place."""
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            # The lowest number that is free, and this one is. Workers have it too.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - it stays open
            os.set_inheritable(number, True)


if __name__ == "__main__":
    run()
