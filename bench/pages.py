"""Measures the site in a real browser, for docs/performance.md: python -m bench.pages.

It says what the main pages weigh as they are sent, and what they cost the server; how fast somebody works
through tickets by keys at 100 ms of latency, and how many keys were lost or doubled; how long the key of the
comment box takes on a ticket with many versions; and whether a large board stutters.
"""

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests import conftest
from tests.support import chromium
from tests.support.browser_client import WebClient
from tests.support.processes import until
from tests.support.screenshots import Sample

Event = dict[str, Any]
LATENCY = {"offline": False, "latency": 100, "downloadThroughput": -1, "uploadThroughput": -1}
KINDS = {"Document": "page", "Stylesheet": "page", "Script": "script", "Font": "font"}
STATES = ("new", "open", "resolved", "hold", "invalid")

# Tasks that took long, since the page began, and what is between two pictures.
WATCH = """() => {
  window.longest = 0;
  const note = ({ duration }) => (window.longest = Math.max(window.longest, duration));
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
  observer.observe({ type: "longtask", buffered: true });
}"""
REPLY = """() => new Promise((resolve) => {
  const since = performance.now();
  const arrived = () => requestAnimationFrame(() => resolve(performance.now() - since));
  document.addEventListener("focusin", arrived, { once: true });
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
})"""
CARRY = """async () => {
  const board = document.querySelector("[data-board]");
  const gaps = [];
  let last = performance.now(), frames = 0;
  board.querySelector("[data-row] [data-open]").focus();
  const stroke = (key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  const press = (key) => document.activeElement.dispatchEvent(stroke(key));
  press(" ");
  while (frames < 60) {
    if (frames % 10 === 0) press(frames % 20 ? "ArrowLeft" : "ArrowRight");
    board.scrollBy(0, 40);
    await new Promise(requestAnimationFrame);
    gaps.push(performance.now() - last);
    last = performance.now();
    frames += 1;
  }
  press("Escape");
  return gaps;
}"""


class Figures:
    """A world with the sample project, and a browser in which Ada is signed in."""

    def __init__(self, world: conftest.World, browser: Browser, port: int) -> None:
        """Fill the world."""
        self.sample = Sample(world)
        self.world, self.browser, self.ada = world, browser, self.sample.ada
        self.address = f"http://{world.host}:{port}"
        self.web = WebClient(world.instance.application, world.host)
        self.web.sign_in(self.ada.email, conftest.PASSWORD)

    @contextmanager
    def opened(self, path: str) -> Iterator[Page]:
        """Open a page for a while in a browser that has nothing cached."""
        context = self.browser.new_context(
            base_url=self.address, locale="en", viewport={"width": 1440, "height": 900}
        )
        context.add_cookies(
            [{"name": name, "value": value, "url": self.address} for name, value in self.web.cookies.items()]
        )
        page = context.new_page()
        page.goto(path)
        yield page
        context.close()

    def weigh(self, path: str) -> Counter[str]:
        """Return how many bytes come with a page, by kind."""
        kinds, weights = dict[str, str](), Counter[str]()

        def begun(event: Event) -> None:
            kinds[event["requestId"]] = event["type"]

        def ended(event: Event) -> None:
            weights[KINDS.get(kinds.get(event["requestId"], ""), "other")] += int(event["encodedDataLength"])

        with self.opened("about:blank") as page:
            network = page.context.new_cdp_session(page)
            network.send("Network.enable")
            network.on("Network.responseReceived", begun)
            network.on("Network.loadingFinished", ended)
            page.goto(path, wait_until="networkidle")
        return weights

    def cost(self, path: str, times: int) -> float:
        """Return the milliseconds of CPU of this process for a page."""
        spent = []
        for _ in range(times + 3):
            since = time.process_time()
            self.web.get(path)
            spent.append(1000 * (time.process_time() - since))
        return statistics.median(spent[3:])

    def triage(self, count: int, rhythm: int) -> tuple[float, int]:
        """Return the seconds for each of some new tickets, and how many keys were lost or doubled."""
        root = self.sample.root
        made = [
            self.ada.post(
                f"{root}/tickets", {"ticket": {"title": f"Leak {rhythm}", "tag": f"t{rhythm}"}}
            ).item
            for _ in range(count)
        ]
        last = f"{root}/tickets/{made[-1]['number']}"
        with self.opened(f"{root}/tickets?q=tagged:t{rhythm}+sort:number") as page:
            page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", LATENCY)
            page.keyboard.type("jo", delay=rhythm)
            page.locator("h1", has_text="Leak").wait_for()
            since = time.monotonic()
            page.keyboard.type("s3j" * count, delay=rhythm)
            until(lambda: self.ada.get(last).item["state"] == STATES[2], "the last ticket")
            took = (time.monotonic() - since) / count
        found = [self.ada.get(f"{root}/tickets/{each['number']}").item for each in made]
        return took, sum((each["version"], each["state"]) != (2, STATES[2]) for each in found)

    def reply(self, versions: int) -> float:
        """Return the milliseconds from `r` to the comment box on a ticket with many versions."""
        ticket = f"{self.sample.root}/tickets/2"
        for number in range(versions):
            self.ada.put(ticket, {"ticket": {"body": f"Comment {number}. " + "It drips. " * 40}})
        with self.opened(ticket) as page:
            return float(page.evaluate(REPLY))

    def board(self, tickets: int) -> tuple[float, float, float]:
        """Return the longest task and the median and longest time between frames of a large board, in ms."""
        for number, state in zip(range(tickets), cycle(STATES)):
            ticket = {"title": f"Card {number}", "state": state, "tag": "a b c"}
            self.ada.post(f"{self.sample.root}/tickets", {"ticket": ticket})
        with self.opened(f"{self.sample.root}/board") as page:
            page.evaluate(WATCH)
            gaps = page.evaluate(CARRY)
            return float(page.evaluate("longest")), statistics.median(gaps), max(gaps)


def report(figures: Figures, *, tickets: int, rhythms: list[int], versions: int, cards: int) -> None:
    """Print everything."""
    pages = {**figures.sample.pages, "inbox": "/notifications", "settings": f"{figures.sample.root}/settings"}
    for name in ("tickets", "ticket", "board", "inbox", "settings"):
        weights, spent = figures.weigh(pages[name]), figures.cost(pages[name], 20)
        kilobytes = ", ".join(f"{kind} {weights[kind] / 1000:.1f} kB" for kind in ("page", "script", "font"))
        print(f"{name}: {kilobytes}; {spent:.1f} ms")
    for rhythm in rhythms:
        took, wrong = figures.triage(tickets, rhythm)
        print(f"triage, a key every {rhythm} ms: {took:.2f} s a ticket, {wrong} of {tickets} wrong")
    print(f"r with {versions} versions: {figures.reply(versions):.0f} ms")
    longest, usual, worst = figures.board(cards)
    print(
        f"board with {cards} more: longest task {longest:.0f} ms, frames {usual:.0f} ms, worst {worst:.0f} ms"
    )


def main(words: list[str] | None = None) -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tickets", type=int, default=30)
    parser.add_argument("--rhythms", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument("--versions", type=int, default=200)
    parser.add_argument("--cards", type=int, default=1000)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder, chromium.started() as browser:
        instance, log = conftest.make_instance("", Path(folder))
        world = conftest.build_world(instance, log)
        with chromium.served(instance.application) as port:
            report(Figures(world, browser, port), **vars(chosen))


if __name__ == "__main__":
    main()
