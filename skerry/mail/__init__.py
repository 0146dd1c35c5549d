"""Mail: messages that come in, and those that go out. Beside the site, on the same rules."""
