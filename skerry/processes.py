"""Ending of workers together with their supervisor."""

import asyncio
import multiprocessing
import os
import signal

_FOR_THE_SUPERVISOR = (signal.SIGHUP, signal.SIGQUIT)


async def end_with_parent() -> None:
    """Stop this worker once its supervisor has ended; outside a worker, return at once.

    Otherwise it would keep running beside the next server, with old settings and code. Signals meant for the
    supervisor are ignored from here on.
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
