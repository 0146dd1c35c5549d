"""How the processes of the server hear of signals: one thread of each waits for them.

Python handles a signal in the main thread alone. The system, however, gives it to another one while the main
thread starts a thread, and a main thread that only waits from then on never hears of it.
"""

import os
import signal
from collections.abc import Iterable
from threading import Thread

STOPPING = (signal.SIGINT, signal.SIGTERM)
"""Who is sent one of these ends, once what is running has been answered."""

_FOR_ALL_WORKERS = (signal.SIGHUP, signal.SIGQUIT)

HEARD = (*STOPPING, *_FOR_ALL_WORKERS)
"""What the process that watches over the workers hears."""

# Programs that rotate logs send these to whatever writes one; ours goes to standard error.
_MEANINGLESS = (signal.SIGUSR1, signal.SIGUSR2)

# What a shell says of a program that a signal has ended.
_BY_SIGNAL = 128


def hear() -> None:
    """Let this process hear of signals to stop and to reload, before it has any thread."""
    _ignore(_MEANINGLESS)
    _hear(HEARD)


def hear_inside() -> None:
    """Let a worker hear of signals to stop; the process that watches over the workers heeds the others."""
    _ignore((*_MEANINGLESS, *_FOR_ALL_WORKERS))
    _hear(STOPPING)


def _ignore(numbers: Iterable[signal.Signals]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def _hear(numbers: tuple[signal.Signals, ...]) -> None:
    # Each thread that is started inherits this: no other one is ever given any of them.
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL)
    Thread(target=_hand_on, args=(numbers,), name="signals", daemon=True).start()


def _hand_on(numbers: tuple[signal.Signals, ...]) -> None:
    """Call what handles each signal, up to the first that says to stop; more change nothing."""
    number = None
    while number not in STOPPING:
        number = signal.sigwait(numbers)
        if number == signal.SIGQUIT:
            # Ctrl-\ must not cut off what is being answered.
            number = signal.SIGTERM
        handler = signal.getsignal(number)
        if callable(handler):
            handler(number, None)
        elif number in STOPPING:
            # Nothing is answered yet.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
            os.kill(os.getpid(), number)
            # The first process of a container is not ended by that.
            os._exit(_BY_SIGNAL + number)
