"""Fetching the files of tickets, whole and in part, over HTTP."""

import pytest

from tests.conftest import build_world
from tests.support.forms import file
from tests.web.test_attachments import attach, attached, keys, path_of

LARGE = bytes(range(256)) * 2000


def test_everybody_who_sees_a_ticket_sees_its_files(world, ada, ben, cy, nobody, roof, harbour):
    attach(ada, roof, file(b"hidden"))
    attach(ada, harbour, file(b"open"))
    hidden, public = path_of(attached(ada, roof)[0]), path_of(attached(ada, harbour)[0])
    assert [client.get(hidden).status for client in (ada, ben, cy, nobody)] == [200, 200, 404, 401]
    assert [client.get(public).body for client in (ada, ben, cy, nobody)] == [b"open"] * 4
    token = world.token(ada.user_id, project_id=harbour)
    scoped = world.client(**{"X-ServiceToken": token})
    assert [scoped.get(path).status for path in (hidden, public)] == [404, 200]


def test_a_file_is_found_by_its_id_and_its_name_in_its_own_account(world, ada, nobody, roof):
    attach(ada, roof, file())
    path = path_of(attached(ada, roof)[0])
    other = build_world(world.instance, world.log, world.format).people["ada"]
    assert ada.get(path.replace("notes", "other")).status == 404
    assert ada.get("/attachments/999/notes.txt").status == 404
    assert ada.get("/attachments/x/notes.txt").status == 404
    assert nobody.get("/attachments/999/notes.txt").status == 401
    assert other.get(path).status == 404


@pytest.mark.parametrize(
    ("said", "name", "served", "way"),
    [
        ("image/png", "a.png", "image/png", "inline"),
        ("image/pjpeg", "a.jpg", "image/jpeg", "inline"),
        ("image/svg+xml", "a.svg", "application/octet-stream", "attachment"),
        ("text/html", "a.html", "application/octet-stream", "attachment"),
        ("text/plain", "a.json", "application/octet-stream", "attachment"),
    ],
)
def test_only_plain_pictures_are_shown_and_nothing_can_run(ada, roof, said, name, served, way):
    attach(ada, roof, file(b"<script>alert(1)</script>", name, said))
    answer = ada.get(path_of(attached(ada, roof)[0]))
    assert answer.headers["content-type"] == served
    assert answer.headers["content-disposition"] == f'{way}; filename="{name}"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"


def test_a_name_in_another_script_is_sent_as_browsers_read_it(ada, roof):
    attach(ada, roof, file(name="\u041f\u043b\u0430\u043d \u00e9.txt"))
    path = path_of(attached(ada, roof)[0])
    said = ada.get(path).headers["content-disposition"]
    assert said.isascii()
    assert said.endswith("filename*=UTF-8''%D0%9F%D0%BB%D0%B0%D0%BD_%C3%A9.txt")
    # macOS decomposes the names of files.
    assert ada.get(path.replace("%C3%A9", "e%CC%81")).status == 200


@pytest.fixture
def digits(ada, roof):
    """The address of a file of ten digits."""
    attach(ada, roof, file(b"0123456789"))
    return path_of(attached(ada, roof)[0])


@pytest.fixture
def large(ada, roof):
    """The address of a file of as many bytes as are sent one after the other, and some more."""
    return path_of(attached(ada, roof, attach(ada, roof, file(LARGE)))[0])


@pytest.mark.parametrize(
    ("wanted", "body", "range_"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=-99", b"0123456789", "bytes 0-9/10"),
        ("bytes=8-99", b"89", "bytes 8-9/10"),
        (f"bytes=8-{'9' * 30}", b"89", "bytes 8-9/10"),
        (f"bytes=-{'9' * 30}", b"0123456789", "bytes 0-9/10"),
    ],
)
def test_a_part_of_a_file_can_be_fetched(ada, digits, wanted, body, range_):
    answer = ada.get(digits, Range=wanted)
    assert (answer.status, answer.body) == (206, body)
    assert (answer.headers["content-range"], answer.headers["content-length"]) == (range_, str(len(body)))


@pytest.mark.parametrize(
    ("wanted", "part"),
    [("", slice(None)), ("bytes=1-", slice(1, None)), ("bytes=-70000", slice(-70000, None))],
)
def test_a_large_file_is_sent_piece_by_piece(ada, large, wanted, part):
    answer = ada.get(large, Range=wanted)
    assert (answer.status, answer.body == LARGE[part]) == (206 if wanted else 200, True)
    assert answer.headers["content-length"] == str(len(LARGE[part]))


@pytest.mark.parametrize("wanted", ["bytes=10-", "bytes=5-2", "bytes=-0", "bytes=-", "bytes=a", "bytes=1-2x"])
def test_a_part_that_is_not_there_is_refused(ada, digits, wanted):
    answer = ada.get(digits, Range=wanted)
    assert (answer.status, answer.headers["content-range"]) == (416, "bytes */10")
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("wanted", ["lines=1-2", "bytes=0-1,4-5", "bytes=" + "9" * 5000 + ",1-2"])
def test_a_range_of_several_parts_gets_the_whole_file(ada, digits, wanted):
    answer = ada.get(digits, Range=wanted)
    assert (answer.status, answer.body) == (200, b"0123456789")


def test_a_part_is_given_only_of_the_file_that_the_caller_has_begun(ada, digits):
    whole = ada.get(digits)
    for mark in (whole.headers["etag"], whole.headers["last-modified"]):
        assert ada.get(digits, Range="bytes=1-2", If_Range=mark).body == b"12"
    assert ada.get(digits, Range="bytes=1-2", If_Range='"other"').body == b"0123456789"


def test_a_file_says_what_it_is_without_being_sent(ada, digits):
    whole, head = ada.get(digits), ada.send("HEAD", digits, Range="bytes=1-2")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "10")
    assert head.headers["accept-ranges"] == "bytes"
    assert head.headers["etag"] == whole.headers["etag"]
    again = ada.get(digits, If_None_Match=whole.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_an_empty_file_is_sent_as_one(ada, roof):
    attach(ada, roof, file(b""))
    answer = ada.get(path_of(attached(ada, roof)[0]))
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "0")


@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_file_without_a_name_is_kept(ada, roof, form):
    attach(ada, roof, file(b"content", name=""))
    [kept] = attached(ada, roof)
    assert kept["filename"] == "unnamed"
    assert ada.get(path_of(kept)).body == b"content"
    assert b"unnamed" in ada.get(f"/projects/{roof}/tickets/1.{form}").body


def test_a_file_whose_bytes_are_lost_is_missing(world, ada, roof):
    attach(ada, roof, file())
    world.instance.blobs.remove(keys(world))
    assert ada.get(path_of(attached(ada, roof)[0])).status == 404


@pytest.mark.parametrize("content", [b"0123456789", LARGE])
@pytest.mark.parametrize("left", [0, 5])
@pytest.mark.parametrize("wanted", ["", "bytes=2-7"])
def test_a_truncated_file_is_not_mistaken_for_the_whole(world, ada, roof, content, left, wanted):
    attach(ada, roof, file(content))
    (key,) = keys(world)
    overwrite(world.instance.blobs, key, content[:left])
    answer = ada.get(path_of(attached(ada, roof)[0]), Range=wanted)
    assert (answer.status, answer.headers.get("content-range")) == (404, None)


def overwrite(blobs, key, content):
    temporary_file = blobs.temporary_file(len(content), "")
    temporary_file.write(content)
    temporary_file.finish()
    blobs.keep(temporary_file, key)
    temporary_file.discard()


def test_a_file_is_not_read_for_a_client_that_has_left(ada, roof):
    content = b"x" * 4_000_000
    path = path_of(attached(ada, roof, attach(ada, roof, file(content)))[0])
    # Its body never comes, as its connection has ended.
    left = ada.get(path, Content_Length="5")
    assert left.status == 200
    assert len(left.body) < len(content)
