"""Takes the pictures of mails for the documentation: python -m tests.support.mail_screenshots.

The mails are sent to a server, and what that gets is shown in a browser, in light and dark.
"""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from skerry.store import accounts
from skerry.store.people import preferences
from tests import conftest
from tests.support import chromium, mail_server
from tests.support.client import basic
from tests.support.mail_server import Post
from tests.support.readers import read_events
from tests.support.screenshots import TARGET

VIEW = {"width": 680, "height": 400}
MINUTE = 60_000_000

_BODY = """It began on Thursday, after the **storm**: the lamp goes out for about a second.

```
03:14:07 relay 2 open
03:14:08 relay 2 closed
```

Is that the same as [last year](https://tracker.example)?"""


class Sample:
    """A ticket of which Ben is told at once, Cleo in a digest, and somebody who is invited."""

    def __init__(self, world: conftest.World, post: Post) -> None:
        """Fill a world at a time of its own."""
        self._world, self._post = world, post
        self._now = int(datetime(2026, 3, 14, 9, 26, tzinfo=UTC).timestamp()) * 1_000_000
        world.database.clock, world.database.mail = (lambda: self._now), post.settings
        ada, ben, cleo = world.people["ada"], world.people["ben"], world.person("cleo", "member")
        with world.write() as transaction:
            accounts.rename(transaction, "Harbour")
        roof = ada.post("/projects", {"project": {"name": "Lighthouse"}}).item["id"]
        tickets = f"/projects/{roof}/tickets"
        for person, mail, language in ((ben, "at_once", "en"), (cleo, "daily", "de")):
            world.join(roof, person)
            with world.write() as transaction:
                preferences.verify(transaction, person.user_id, person.email)
            chosen = {"mail": mail, "language": language, "time_zone": "Europe/Berlin"}
            world.client(**basic(person.email, conftest.PASSWORD)).put(
                "/profile/preferences", {"preferences": chosen}
            )
            level = {"notification_settings": {"level": "everything"}}
            person.put(f"/projects/{roof}/notification_settings", level)
        ada.post(tickets, {"ticket": {"title": "Lamp flickers after the second relay", "body": _BODY}})
        self._now += MINUTE
        said = {"body": "Measured it: 3.1 Ω. A new relay is ordered.", "state": "hold", "tag": "lamp"}
        ada.put(f"{tickets}/1", {"ticket": {**said, "assigned_user_id": ben.user_id}})
        ada.post(
            tickets, {"ticket": {"title": "Fog signal starts four minutes late", "body": "Since March."}}
        )
        invited = {"email": "dora@tracker.example", "name": "Dora", "role": "member"}
        world.client(**basic(ada.email, conftest.PASSWORD)).post("/invitations", {"invitation": invited})
        read_events(world)

    def mails(self) -> dict[str, str]:
        """Return the HTML of a mail of each kind."""
        sent = self._post.deliver()
        self._now += 3 * MINUTE
        sent += self._post.deliver()[:1]
        self._now += 24 * 60 * MINUTE
        sent += self._post.deliver()
        names = ("invitation", "notification", "digest")
        messages: list[Any] = [message for _, message in sent]
        found = zip(names, messages, strict=True)
        return {name: message.get_body(("html",)).get_content() for name, message in found}


def pictures(browser: Browser, mails: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Return the pictures by their names."""
    for theme, (name, html) in product(("light", "dark"), mails.items()):
        page = browser.new_page(viewport=VIEW, color_scheme=theme)  # type: ignore[arg-type] # one of its words
        page.set_content(html)
        yield f"mail-{name}-{theme}", page.screenshot(full_page=True)
        page.close()


def main() -> None:
    """Take all pictures anew."""
    program = chromium.path()
    if program is None:
        raise SystemExit("There is no Chromium here")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        world = conftest.build_world(*conftest.make_instance("", Path(folder)))
        browser = playwright.chromium.launch(executable_path=program, args=list(chromium.OPTIONS))
        with mail_server.running() as server:
            mails = Sample(world, Post(world, server)).mails()
        del mails["invitation"]
        for name, picture in pictures(browser, mails):
            (TARGET / f"{name}.png").write_bytes(picture)
        browser.close()


if __name__ == "__main__":
    main()
