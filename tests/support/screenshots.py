"""Takes the pictures of the site for the documentation: python -m tests.support.screenshots.

It starts a server on an empty folder, fills it with a small project of its own, and photographs the
main pages in light and dark, at a desk and on a telephone.
"""

import json
import random
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle, product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from skerry.store import accounts
from tests import conftest
from tests.support import chromium
from tests.support.browser_client import WebClient
from tests.support.client import Client

TARGET = Path(__file__).parents[2] / "docs" / "screenshots"
SIZES = {"desk": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
LASTED = 29  # days, from the first ticket to the last commit

_CHANCE = random.Random(7)

_TICKETS = (
    ("Lamp flickers after the second relay", "lamp", "open"),
    ("Fog signal starts four minutes late", "fog-signal", "new"),
    ("Replace the gasket of the lens hatch", "lamp maintenance", "open"),
    ("Tide gauge sends the same reading twice", "gauge data", "hold"),
    ("Radio log loses the time zone", "radio data", "new"),
    ("Backup battery reports 0 % at night", "power", "open"),
    ("Stairs: third step is loose", "safety", "resolved"),
    ("Weather feed stops on leap days", "data", "resolved"),
    ("Paint on the north side peels off", "maintenance", "new"),
    ("Generator log grows without end", "power data", "open"),
    ("Beam turns clockwise on the chart, not outside", "charts", "invalid"),
    ("Boat landing light has the wrong colour", "lamp safety", "open"),
    ("Solar panel 2 delivers half of panel 1", "power", "new"),
    ("Write down who to call in a storm", "safety", "hold"),
    ("Alarm tests wake the neighbours", "fog-signal", "resolved"),
    ("Visitors cannot read the opening hours", "web", "new"),
    ("Mooring buoy drifts twelve metres", "safety", "open"),
    ("The kettle trips the fuse", "power", "resolved"),
)

_BODY = """It began on Thursday, after the **storm**. What I saw:

1. the lamp goes out for about a second,
2. the relay clicks twice,
3. everything is as before.

```
03:14:07 relay 2 open
03:14:08 relay 2 closed
```

Is that the same as #3?"""

_TALK = (
    ("Could be the contact. I will look at it with the next boat.", {}),
    ("Measured it: 3.1 Ω where there should be none. A new relay is ordered.", {"state": "hold"}),
    ("It came today, and fits.", {"state": "open", "importance": 4}),
)


class Sample:
    """A small project with people, milestones, tickets, messages and changesets, made over HTTP."""

    def __init__(self, world: conftest.World) -> None:
        """Fill a world, as if it had all happened in the last weeks."""
        self.world = world
        real = world.instance.database.clock
        self._past = timedelta(days=LASTED)
        world.instance.database.clock = lambda: real() - self._past // timedelta(microseconds=1)
        names = (("ada", "owner"), ("ben", "member"), ("cleo", "member"))
        self.people = [world.people.get(name) or world.person(name, role) for name, role in names]
        self.ada: Client = self.people[0]
        self.project: int = self.ada.post(
            "/projects", {"project": {"name": "Harbour light", "public": True}}
        ).item["id"]
        for person in self.people[1:]:
            world.join(self.project, person)
        self.root = f"/projects/{self.project}"
        self.milestones = [self._milestone(title, days) for title, days in (("Winter", 24), ("Spring", 115))]
        self._tickets()
        self._message()
        self._changesets()
        self.ada.put(
            f"/profile/lists/{self.project}", {"list_settings": {"group": "state", "sort": "importance"}}
        )
        world.instance.database.clock = real
        with world.write() as transaction:
            accounts.rename(transaction, "North Rock")

    def _later(self, **time: float) -> None:
        self._past = max(self._past - timedelta(**time), timedelta(minutes=5))

    def _milestone(self, title: str, days: int) -> int:
        due = (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
        fields = {"title": title, "goals": f"Everything ready for *{title.lower()}*.", "due_on": due}
        return int(self.ada.post(f"{self.root}/milestones", {"milestone": fields}).item["id"])

    def _tickets(self) -> None:
        people = cycle(self.people)
        for place, (title, tags, state) in enumerate(_TICKETS):
            self._later(hours=19)
            author = next(people)
            fields: dict[str, Any] = {
                "title": title,
                "body": _BODY if place == 0 else f"{title}. Seen from the boat and from the stairs.",
                "tag": tags,
                "importance": _CHANCE.choice([0, 0, 1, 2, 2, 3, 4]),
                "milestone_id": self.milestones[place % 3 == 0] if place % 4 else None,
                "assigned_user_id": _CHANCE.choice([*(each.user_id for each in self.people), None]),
            }
            number = author.post(f"{self.root}/tickets", {"ticket": fields}).item["number"]
            if state != "new":
                self._later(hours=21)
                other = next(people)
                other.put(
                    f"{self.root}/tickets/{number}", {"ticket": {"state": state, "body": "Looked at it."}}
                )
        for (body, fields), author in zip(_TALK, cycle(self.people[1:])):
            self._later(hours=26)
            author.put(f"{self.root}/tickets/1", {"ticket": {"body": body, **fields}})

    def _message(self) -> None:
        self._later(hours=30)
        body = "The boat goes at **nine**, whatever the weather says. Bring the *long* ladder."
        message = self.ada.post(
            f"{self.root}/messages", {"message": {"title": "Work on Saturday", "body": body}}
        )
        said = message.item["id"]
        self._later(hours=3)
        self.people[1].post(f"{self.root}/messages/{said}/comments", {"comment": {"body": "I have it."}})

    def _changesets(self) -> None:
        for revision, title in (("4f1c9aa", "Debounce the relay [#1]"), ("77ab01e", "Count leap days [#8]")):
            changed = [["M", "lamp/relay.py"], ["A", "lamp/contact.py"]]
            fields = {
                "revision": revision,
                "title": title,
                "body": "Waits for 50 ms now.",
                "changes": json.dumps(changed),
                "changed_at": datetime.now(UTC).isoformat(),
            }
            self.ada.post(f"{self.root}/changesets", {"changeset": fields})

    @property
    def pages(self) -> dict[str, str]:
        """Return the main pages by the names of their pictures."""
        return {
            "dashboard": "/",
            "tickets": f"{self.root}/tickets",
            "ticket": f"{self.root}/tickets/1",
            "board": f"{self.root}/board",
        }


def screenshots(browser: Browser, sample: Sample, address: str) -> Iterator[tuple[str, bytes]]:
    """Return the pictures by their names."""
    web = WebClient(sample.world.instance.application, sample.world.host)
    web.sign_in(sample.ada.email, conftest.PASSWORD)
    cookies = [{"name": name, "value": value, "url": address} for name, value in web.cookies.items()]
    for theme, (size, view) in product(("light", "dark"), SIZES.items()):
        context = browser.new_context(
            viewport=view, color_scheme=theme, locale="en", base_url=address, reduced_motion="reduce"
        )
        context.add_cookies(cookies)
        page = context.new_page()
        for name, path in sample.pages.items():
            page.goto(path)
            yield f"{name}-{theme}{'' if size == 'desk' else '-phone'}", page.screenshot()
        context.close()


def main() -> None:
    """Take all pictures anew."""
    program = chromium.path()
    if program is None:
        raise SystemExit("There is no Chromium here")
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        instance, log = conftest.make_instance("", Path(folder))
        world = conftest.build_world(instance, log)
        browser = playwright.chromium.launch(executable_path=program, args=list(chromium.OPTIONS))
        with chromium.served(instance.application) as port:
            sample = Sample(world)
            for name, picture in screenshots(browser, sample, f"http://{world.host}:{port}"):
                (TARGET / f"{name}.png").write_bytes(picture)
        browser.close()


if __name__ == "__main__":
    main()
