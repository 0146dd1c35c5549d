"""What comes and goes slowly."""

import io
import socket
import time
import weakref
from contextlib import suppress
from errno import EMFILE
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from skerry.errors import TooSlow, Unavailable
from skerry.web import slots, tcp_connections, transfers
from skerry.web.transfers import Transfers


def test_a_body_in_time_is_read_as_it_is():
    body = Transfers(30).coming(io.BytesIO(b"water" * 30000), "")
    assert b"".join(iter(lambda: body.read(65536), b"")) == b"water" * 30000
    assert not body.is_late
    body.close()


def test_a_body_that_ends_early_and_late_is_too_slow():
    body = Transfers(-1).coming(io.BytesIO(b"wat"), "")
    assert not body.is_late
    with pytest.raises(TooSlow):
        body.read(5)
    body.close()
    assert not body.is_late


def test_a_body_that_comes_whole_is_taken_though_it_is_late():
    body = Transfers(-1).coming(io.BytesIO(b"water"), "")
    assert body.read(5) == b"water"


@pytest.mark.parametrize(
    ("length", "sizes", "late"), [(5, (2, 3), False), (None, (9,), False), (9, (5,), True)]
)
def test_a_body_that_is_there_is_not_late_while_it_is_worked_on(length, sizes, late, monkeypatch):
    body = Transfers(30).coming(io.BytesIO(b"water"), "", length)
    for size in sizes:
        body.read(size)
    monkeypatch.setattr(transfers, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + 3600))
    assert body.is_late is late


def test_what_has_come_lengthens_the_time():
    body = Transfers(-1).coming(io.BytesIO(bytes(100_000)), "")
    body.read(65536)
    assert not body.is_late
    assert len(body.read(65536)) == 100_000 - 65536


@pytest.mark.parametrize(("length", "read"), [(200_000, 200_000), (transfers.REST + 6, 5)])
def test_a_small_rest_of_a_body_that_was_refused_is_read_away(length, read):
    stream = io.BytesIO(bytes(length))
    body = Transfers(30).coming(stream, "", length)
    body.read(5)
    body.close()
    assert stream.tell() == read


@pytest.mark.parametrize(
    ("length", "waits", "read"),
    [(200_000, False, 200_000), (transfers.REST + 1, False, 0), (None, False, 0), (200_000, True, 0)],
)
def test_a_small_body_that_was_refused_unread_is_read_away_unless_its_sender_waits(length, waits, read):
    stream = io.BytesIO(bytes(length or 9))
    body = Transfers(30).coming(stream, "", length, waits=waits)
    body.close()
    assert stream.tell() == read


def test_a_body_that_finds_no_seat_is_not_read_away():
    seats = Transfers(30, coming=1)
    first, second, third = (seats.coming(io.BytesIO(b"12"), "", 2) for _ in range(3))
    first.read(1)
    with pytest.raises(Unavailable):
        second.read(1)
    third.close()
    first.close()
    second.close()
    assert [each._stream.tell() for each in (first, second, third)] == [2, 0, 0]


def test_a_body_that_was_refused_unread_has_no_longer_than_a_body_that_begins():
    stream = io.BytesIO(bytes(200_000))
    Transfers(-1).coming(stream, "", 200_000).close()
    assert stream.tell() == 0


def test_the_rest_of_a_body_has_no_longer_than_a_body_that_begins(monkeypatch):
    moments, pieces = iter(range(0, 1600, 16)), []
    clock = SimpleNamespace(now=0, monotonic=lambda: clock.now)
    monkeypatch.setattr(transfers, "time", clock)

    def read(size):
        pieces.append(size)
        clock.now = next(moments)
        return bytes(size)

    body = Transfers(30).coming(SimpleNamespace(read=read), "", 40 * 65536)
    body.read(20 * 65536)
    body.close()
    assert pieces == [20 * 65536, 65536, 65536]


def test_the_rest_of_a_body_that_is_late_is_left():
    stream = io.BytesIO(bytes(8))
    body = Transfers(-1).coming(stream, "", 100)
    with pytest.raises(TooSlow):
        body.read(9)
    stream.seek(4)
    body.close()
    assert stream.tell() == 4


def test_who_finds_no_seat_is_told_at_once_and_a_seat_is_free_again_after_its_body():
    several = Transfers(30, coming=1)
    first, second = (several.coming(io.BytesIO(b"x"), "") for _ in range(2))
    first.read(1)
    with pytest.raises(Unavailable):
        second.read(1)
    second.close()
    first.close()
    first.close()
    assert second.read(1) == b"x"


def test_bodies_of_nobody_knows_whom_have_a_part_of_the_seats_for_as_long_as_they_come():
    seats = Transfers(1, coming=2)
    first, second, known = (seats.coming(io.BytesIO(b"1234"), "", 4) for _ in range(3))
    known.sender = 1
    first.read(2)
    with pytest.raises(Unavailable):
        second.read(4)
    assert known.read(4) == b"1234"
    known.close()
    first.read(2)
    assert second.read(4) == b"1234"
    for body in (first, second):
        body.close()
    assert early_seats(seats, 3) == 1


def test_one_network_has_half_of_the_seats_of_strangers():
    seats, held = Transfers(30, coming=16), []

    def finds_one(network):
        held.append(seats.coming(io.BytesIO(b"12"), "", 2, network))
        with suppress(Unavailable):
            return bool(held[-1].read(1))

    assert [finds_one(network) for network in "aaabbc"] == [True, True, None, True, True, None]
    held.pop(0).close()
    assert [finds_one(network) for network in "bac"] == [None, True, None]
    for body in held:
        body.close()
    assert seats._early._held == {}


def test_one_person_has_a_part_of_the_seats_for_as_long_as_their_bodies_come():
    seats, held = Transfers(30, coming=4), []

    def finds_one(sender):
        held.append(seats.coming(io.BytesIO(b"12"), "", 2))
        held[-1].sender = sender
        with suppress(Unavailable):
            return bool(held[-1].read(1))

    assert [finds_one(sender) for sender in (1, 1, 1, 2)] == [True, True, None, True]
    held[0].read(1)
    assert [finds_one(sender) for sender in (1, 1)] == [True, None]
    for body in held:
        body.close()
    assert seats._known._held == {}


def test_who_finds_no_seat_keeps_none_of_those_of_strangers():
    seats = Transfers(30, coming=1)
    known = seats.coming(io.BytesIO(b"12"), "")
    known.sender = 1
    known.read(1)
    assert early_seats(seats, 3) == 0
    known.close()
    assert early_seats(seats, 1) == 1


def test_a_stranger_who_breaks_off_leaves_his_seat_to_the_next():
    seats = Transfers(30, coming=4)
    body = seats.coming(io.BytesIO(b"1234"), "", 4)
    body.read(2)
    body.close()
    assert early_seats(seats, 2) == 1


def test_a_rest_that_cannot_be_read_leaves_its_seat_to_the_next():
    def breaking_off():
        yield b"12"
        raise OSError

    seats, pieces = Transfers(30, coming=4), breaking_off()
    body = seats.coming(SimpleNamespace(read=lambda _size: next(pieces)), "", 4)
    body.read(2)
    body.close()
    assert early_seats(seats, 2) == 1


def early_seats(seats, number):
    """Say how many of so many early bodies find a seat."""
    found = 0
    for body in [seats.coming(io.BytesIO(b"12"), "", 2) for _ in range(number)]:
        with suppress(Unavailable):
            found += len(body.read(1))
    return found


def test_an_answer_holds_its_seat_until_its_end_or_until_it_is_closed():
    several = Transfers(30, going=1)
    assert b"".join(several.going(iter([b"a", b"b"]), "ada")) == b"ab"
    unread = several.going(iter([b"a"]), "ada")
    with pytest.raises(Unavailable):
        several.going(iter([]), "ben")
    unread.close()
    unread.close()
    several.going(iter([]), "ben")


def test_a_seat_is_free_again_where_the_first_piece_cannot_be_had():
    def failing():
        raise Unavailable("The bucket is away")
        yield b""

    several = Transfers(30, going=1, fetched=1)
    for _ in range(2):
        with pytest.raises(Unavailable, match="away"):
            several.going(failing(), "ada")
        with pytest.raises(Unavailable, match="away"):
            several.fetched(failing(), "ada")


def test_small_files_have_seats_of_their_own_while_they_are_fetched():
    several, told = Transfers(30, going=1, fetched=2), []

    def fetching():
        with pytest.raises(Unavailable):
            several.fetched([b"b"], "ada")
        told.append(several.fetched([b"b"], "ben"))
        yield b"a"

    several.going(iter([b"a"]), "ada")
    assert several.fetched(fetching(), "ada") == b"a"
    assert (told, several.fetched([b"c"], "ada")) == ([b"b"], b"c")


def test_one_reader_has_half_of_the_seats_for_answers():
    several = Transfers(30, going=4)
    for reader in ("ada", "ada", "ben"):
        several.going(iter([b"a"]), reader)
    with pytest.raises(Unavailable):
        several.going(iter([b"a"]), "ada")
    several.going(iter([b"a"]), "ben")


@pytest.mark.parametrize(
    ("threads", "workers", "seats"),
    [
        (None, 2, (256, 64, 256)),
        (100_000, 2, (256, 64, 256)),
        (1024, 2, (128, 32, 64)),
        (2048, 8, (128, 32, 64)),
        (256, 1, (32, 16, 16)),
        (1, 1, (16, 16, 16)),
    ],
)
def test_there_are_fewer_seats_where_there_may_be_few_threads(threads, workers, seats):
    assert slots.per_worker(threads, workers) == seats


def test_who_cannot_look_at_connections_as_too_much_is_open_finds_none(monkeypatch):
    def full(*_what):
        raise OSError(EMFILE, "Too many open files")

    monkeypatch.setattr(tcp_connections.Path, "glob", full)
    assert tcp_connections.received({"127.0.0.1": 0}, {80}) == {}


def test_who_was_sent_something_a_while_ago_is_not_looked_at():
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        ports = tcp_connections.listened_at()
        for address, seconds, is_found in (
            ("127.0.0.1", 0, True),
            ("::ffff:127.0.0.1", 0, True),
            ("127.0.0.2", 0, False),
            ("127.0.0.1", 60, False),
        ):
            numbers = [number for number, _ in tcp_connections.received({address: seconds}, ports)]
            assert (accepted.fileno() in numbers) is is_found


def test_connections_that_lead_out_are_not_looked_at():
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as leading_out,
        listening.accept()[0] as accepted,
    ):
        ports = tcp_connections.listened_at()
        numbers = [number for number, _ in tcp_connections.received({"127.0.0.1": 0}, ports)]
        assert accepted.fileno() in numbers
        assert leading_out.fileno() not in numbers


def test_connections_inside_the_machine_have_no_address_to_look_at():
    one, other = socket.socketpair()
    with one, other:
        assert tcp_connections.received({"127.0.0.3": 0}, {80}) == {}


def test_who_is_late_was_sent_nothing_for_nearly_as_long_as_he_is_sending(monkeypatch):
    several, clock = Transfers(30), SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr(transfers, "time", clock)
    for moment in (*[0.0] * 9, 10.0):
        clock.monotonic = partial(float, moment)
        several.coming(io.BytesIO(b"wat"), "10.0.0.1", 5).read(3)
    for moment, silence in ((20.0, {}), (35.0, {"10.0.0.1": 31.5}), (45.0, {"10.0.0.1": 31.5})):
        clock.monotonic = partial(float, moment)
        assert several.silence() == silence


def test_of_a_body_that_ended_nothing_is_kept():
    several = Transfers(30)
    body = several.coming(io.BytesIO(b"water"), "", 5)
    body.read(5)
    body.close()
    gone = weakref.ref(body)
    del body
    assert gone() is None


def test_a_body_that_ends_while_it_is_looked_at_is_no_trouble(monkeypatch):
    several = Transfers(-1)
    body = several.coming(io.BytesIO(b"wat"), "10.0.0.1", 5)
    body.read(3)
    looking = SimpleNamespace(monotonic=lambda: monkeypatch.undo() or body.close() or 3600.0)
    monkeypatch.setattr(transfers, "time", looking)
    several.silence()
    assert several.silence() == {}


def test_a_client_is_cut_off_without_a_look_at_all_others(monkeypatch):
    monkeypatch.setattr(tcp_connections.Path, "glob", lambda *_: pytest.fail("all are looked at"))
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        tcp_connections.take_no_more((one.fileno(), "socket:[0]"))
        with pytest.raises(BlockingIOError):
            one.recv(1)
        tcp_connections.take_no_more((one.fileno(), str(Path(f"/proc/self/fd/{one.fileno()}").readlink())))
        assert one.recv(1) == b""


def test_what_is_no_socket_any_more_is_left_alone_and_leaves_nothing_open(tmp_path):
    with (tmp_path / "file").open("wb") as file:
        before = list(Path("/proc/self/fd").glob("*"))
        tcp_connections.take_no_more((file.fileno(), "socket:[0]"))
        assert len(list(Path("/proc/self/fd").glob("*"))) == len(before)
