"""The addresses at which a server listens, and the URL that it prints."""

from types import SimpleNamespace

import pytest

from skerry import server


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
    assert server.address(host, 8000) == address


@pytest.fixture
def pauses(monkeypatch):
    """What is done in each pause between two tries to take a port, which are a second apart."""
    doing = []
    moments = iter(range(1_000))
    clock = SimpleNamespace(monotonic=lambda: next(moments), sleep=lambda _: [do() for do in doing])
    monkeypatch.setattr(server, "time", clock)
    return doing


def test_a_port_is_taken_when_the_server_before_gives_it_back(pauses):
    before = server.listen("127.0.0.1", 0)
    place = before.getsockname()
    pauses.append(before.close)
    with server.listen(*place) as listening:
        assert listening.getsockname() == place


def test_a_port_that_stays_in_use_is_refused_in_the_end(pauses):
    tried = []
    pauses.append(lambda: tried.append("once"))
    with server.listen("127.0.0.1", 0) as before, pytest.raises(SystemExit, match="in use"):
        server.listen(*before.getsockname())
    assert len(tried) == server.PORT_SECONDS


def test_an_address_of_another_machine_is_refused_at_once(pauses):
    pauses.append(lambda: pytest.fail("waited"))
    with pytest.raises(SystemExit, match=r"Cannot listen at 192\.0\.2\.1, port 8000: "):
        server.listen("192.0.2.1", 8000)


def test_a_server_on_all_addresses_is_reachable_by_ipv4_and_ipv6():
    with server.listen("::", 0) as listening:
        port = listening.getsockname()[1]
        for host in ("127.0.0.1", "::1"):
            server.socket.create_connection((host, port), timeout=5).close()
