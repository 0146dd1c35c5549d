"""``python -m skerry.sk`` is the command ``sk``."""

import os
import sys
from importlib.util import find_spec

_UNREADABLE = 0o077


def run() -> None:
    """Run the command, if what it needs is installed."""
    if find_spec("rich") is None or find_spec("click") is None:
        sys.exit("sk: Install what the command needs: pip install 'skerry[client]'")
    # Drafts and tokens are nobody else's.
    os.umask(_UNREADABLE)
    from skerry.sk.commands import main  # noqa: PLC0415 - needs packages that may be missing

    main()


if __name__ == "__main__":
    run()
