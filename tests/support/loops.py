"""Event loops of their own, also on a thread on which another one runs, as a browser's does."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run(coroutine):
    """Return the result of a coroutine."""
    return on_a_thread(lambda: asyncio.run(coroutine))


def on_a_thread(work):
    """Return the result of a function that may run an event loop."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(work).result()
