"""``python -m skerry`` is the command ``skerry``."""

import os
import signal

# What is made holds hashes of passwords and texts of private projects, also where others may enter.
_NOBODY_ELSE = 0o077


def run() -> None:
    """Be the command; whoever stops it while it is loaded sees no trace, and later a sentence."""
    os.umask(_NOBODY_ELSE)
    stoppable = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if stoppable:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from skerry.cli import main  # noqa: PLC0415 - this is what takes a moment

    if stoppable:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Who is asked to end removes what is half done, as one who is interrupted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()


if __name__ == "__main__":
    run()
