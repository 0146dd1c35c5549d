"""Batching of concurrent calls, so that several tasks share one transaction."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

GATHERED_SECONDS = 0.2
"""How long calls are gathered into one, as fewer transactions leave more of the disk to requests."""


class BatchedCall(Generic[T, R]):
    """A function of a list, called with the items gathered from several callers; each gets its own result."""

    def __init__(self, run: Callable[[list[T]], list[R]], executor: Executor) -> None:
        self._run, self._executor = run, executor
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._work: asyncio.Task[None] | None = None

    async def __call__(self, item: T) -> R:
        """Return the result for an item; raises what the function raises."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._work is None:
            self._work = asyncio.create_task(self._work_off())
        return await future

    async def _work_off(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            await asyncio.sleep(GATHERED_SECONDS)
            some, self._waiting = self._waiting, []
            items = [item for item, _ in some]
            try:
                results = await loop.run_in_executor(self._executor, self._run, items)
            except Exception as error:  # noqa: BLE001 - passed on to the callers
                for _, future in some:
                    future.set_exception(error)
            else:
                for (_, future), result in zip(some, results, strict=True):
                    future.set_result(result)
        self._work = None
