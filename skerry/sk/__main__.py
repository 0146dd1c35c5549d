"""``python -m skerry.sk`` is the command ``sk``."""

import os

from skerry.sk.commands import main

_UNREADABLE = 0o077


def run() -> None:
    """Run the command."""
    # Drafts and tokens are nobody else's.
    os.umask(_UNREADABLE)
    main()


if __name__ == "__main__":
    run()
