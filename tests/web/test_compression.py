"""Compression of large responses."""

import gzip

import brotli
import pytest

from tests.support.client import parse


@pytest.fixture
def many(ada, roof):
    for number in range(12):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": f"Leak {number}", "body": "drip " * 50}})
    return f"/projects/{roof}/tickets"


@pytest.mark.parametrize(
    ("accepted", "encoding", "decompress"),
    [("gzip", "gzip", gzip.decompress), ("gzip, br;q=0.9", "br", brotli.decompress)],
)
def test_a_large_answer_is_compressed_as_the_caller_can_read(ada, many, accepted, encoding, decompress):
    answer = ada.speaking(**ada.headers, **{"Accept-Encoding": accepted}).raw(many)
    assert answer.headers["content-encoding"] == encoding
    assert "Accept-Encoding" in answer.headers["vary"]
    assert parse(decompress(answer.body)) == ada.get(many).data


@pytest.mark.parametrize("accepted", ["identity", "br;q=0, gzip;q=0", "gzip;q=0, *", "deflate"])
def test_nothing_is_compressed_for_clients_that_do_not_accept_it(ada, many, accepted):
    answer = ada.get(many, Accept_Encoding=accepted)
    assert "content-encoding" not in answer.headers
    assert len(answer.items) == 12


def test_a_small_answer_is_sent_as_it_is(ada, roof):
    assert "content-encoding" not in ada.get(f"/projects/{roof}", Accept_Encoding="gzip").headers
