"""Mails that go out and come in, as rows."""
