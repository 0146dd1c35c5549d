"""An app for time codes, and the clock of the server, which stands still between its codes."""

import re
from dataclasses import dataclass, field

import pyotp


@dataclass
class CodeApp:
    """Somebody's app; ``next`` lets half a minute pass, so that each code is a new one."""

    database: object
    now: int
    secret: str = ""
    recovery: list[str] = field(default_factory=list)

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds * 1_000_000

    def code(self, offset=0):
        return pyotp.TOTP(self.secret).at(self.now // 1_000_000, counter_offset=offset)

    def next(self):
        self.wait(30)
        return self.code()

    def wrong(self):
        """Return a code that is none of those that are accepted now."""
        accepted = {self.code(offset) for offset in (-1, 0, 1)}
        return next(code for code in map("{:06}".format, range(4)) if code not in accepted)

    def set_up(self, web, place="/profile", offset=None):
        """Set up the app in somebody's profile, as a person without scripts does."""
        page = web.submit(web.get(place), "/profile/time-codes")
        self.secret = re.search(r"secret=([A-Z2-7]+)", page.source)[1]
        code = self.next() if offset is None else self.code(offset)
        page = web.submit(page, "/profile/time-codes", "put", **{"time_codes[code]": code})
        self.recovery = re.findall(r"(?:[a-z2-7]{6}-){3}[a-z2-7]{6}", page.text)
        return page
