"""The address that a server says it answers at."""

import pytest

from skerry.listening import reached_at


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),  # noqa: S104
        ("::", "http://[::1]:8000"),
        ("::1", "http://[::1]:8000"),
        ("tracker.example.org", "http://tracker.example.org:8000"),
    ],
)
def test_a_server_is_said_to_answer_where_a_browser_beside_it_finds_it(host, address):
    assert reached_at(host, 8000) == address
