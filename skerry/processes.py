"""What a worker owes the process that supervises it."""

import asyncio
import multiprocessing
import os
import signal

_FOR_THE_SUPERVISOR = (signal.SIGHUP, signal.SIGQUIT)


async def end_with_parent() -> None:
    """Stop this worker once its supervisor is gone, as nobody else would; elsewhere, return at once.

    It would go on beside the next server, with the settings and the program of before. Signals that only
    the supervisor heeds are ignored from here on.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    for number in _FOR_THE_SUPERVISOR:
        signal.signal(number, signal.SIG_IGN)
    loop, is_gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(parent.sentinel, is_gone.set)
    try:
        await is_gone.wait()
    finally:
        loop.remove_reader(parent.sentinel)
    os.kill(os.getpid(), signal.SIGTERM)
