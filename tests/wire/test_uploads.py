"""Parsing of multipart forms."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.errors import BadRequest, SkerryError, TooLarge
from skerry.wire.tree import Tree
from skerry.wire.uploads import FilePart, MultipartForm, Upload

TYPE = "multipart/form-data; boundary=xyz"


class Basket:
    """A sink that remembers what came."""

    def __init__(self, part: FilePart) -> None:
        self.part = part
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)


def part(name: str, body: bytes, more: str = "", content_type: str = "") -> bytes:
    typed = f"Content-Type: {content_type}\r\n" if content_type else ""
    head = f'Content-Disposition: form-data; name="{name}"{more}\r\n{typed}\r\n'
    return b"--xyz\r\n" + head.encode() + body + b"\r\n"


def fed(body: bytes, content_type: str, length: int | None, open_file, most_text: int) -> tuple:
    """Feed a form in pieces; return its tree and its files."""
    form = MultipartForm(content_type, length, open_file, most_text)
    for start in range(0, len(body), 64 * 1024):
        form.feed(body[start : start + 64 * 1024])
    return form.tree(), form.uploads


def read(*parts: bytes, most_text: int = 1000) -> tuple[Tree, list[Upload]]:
    body = b"".join(parts) + b"--xyz--\r\n"
    return fed(body, TYPE, len(body), Basket, most_text)


def test_fields_are_a_tree_and_files_go_to_sinks() -> None:
    tree, uploads = read(
        part("ticket[title]", "Dach é".encode()),
        part("ticket[attachment][]", b"\x89PNG", '; filename="a.png"', "image/png"),
        part("other", b"", '; filename="empty.txt"'),
    )
    assert tree == {"ticket": {"title": "Dach é"}}
    assert [upload.part for upload in uploads] == [
        FilePart("ticket[attachment][]", "a.png", "image/png"),
        FilePart("other", "empty.txt", "application/octet-stream"),
    ]
    assert [upload.size for upload in uploads] == [4, 0]
    assert all(isinstance(upload.sink, Basket) for upload in uploads)


def test_a_large_file_comes_in_pieces() -> None:
    content = b"\r\n--xy" * 200_000
    _, [upload] = read(part("file", content, '; filename="a"'))
    assert isinstance(upload.sink, Basket)
    assert b"".join(upload.sink.pieces) == content
    assert max(map(len, upload.sink.pieces)) <= 2 * 64 * 1024
    assert upload.size == len(content)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"ticket":{"body":"b"},"multiple-watchers":"1"}', "application/json; charset=utf-8"),
        (b"<ticket><body>b</body></ticket>", "text/xml"),
    ],
)
def test_json_and_xml_parts_are_merged_wherever_they_stand(body: bytes, content_type: str) -> None:
    document = part("json", body, content_type=content_type)
    file, title = part("f", b"x", '; filename="a"'), part("ticket[title]", b"t")
    for order in ([document, file, title], [title, file, document]):
        tree, uploads = read(*order)
        assert tree["ticket"] == {"title": "t", "body": "b"}
        assert len(uploads) == 1


@pytest.mark.parametrize("more", ["", '; filename="blob"'])
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"body":"b"}', "application/json"),
        (b'{"ticket":{"body":"b"}}', "application/json"),
        (b"<ticket><body>b</body></ticket>", "application/xml"),
    ],
)
def test_a_part_may_be_named_for_the_ticket_that_it_holds(body: bytes, content_type: str, more: str) -> None:
    tree, uploads = read(part("ticket[title]", b"t"), part("ticket", body, more, content_type))
    assert (tree, uploads) == ({"ticket": {"title": "t", "body": "b"}}, [])


def test_a_part_named_for_a_ticket_may_hold_a_whole_version() -> None:
    tree, _ = read(part("ticket", b'{"version":{"body":"b"}}', content_type="application/json"))
    assert tree == {"version": {"body": "b"}}


def test_a_file_in_json_is_a_file_under_the_name_of_files() -> None:
    _, [upload] = read(part("ticket[attachment][]", b"{}", '; filename="blob"', "application/json"))
    assert upload.size == 2


def test_an_empty_document_clears_nothing() -> None:
    tree, _ = read(part("ticket[title]", b"t"), part("xml", b"<ticket/>", content_type="application/xml"))
    assert tree == {"ticket": {"title": "t"}}


def test_an_empty_file_field_is_ignored() -> None:
    assert read(part("ticket[attachment][]", b"", '; filename=""', "application/octet-stream")) == ({}, [])


def test_a_file_without_a_name_is_accepted_if_it_has_content() -> None:
    _, [upload] = read(part("ticket[attachment][]", b"x" * 100_000, '; filename=""', "image/png"))
    assert upload.part == FilePart("ticket[attachment][]", "unnamed", "image/png")
    assert isinstance(upload.sink, Basket)
    assert b"".join(upload.sink.pieces) == b"x" * 100_000


def test_a_file_name_may_be_percent_encoded() -> None:
    _, [upload] = read(part("f", b"x", "; filename*=UTF-8''d%C3%A9j%C3%A0.txt"))
    assert upload.part.filename == "déjà.txt"


def test_of_two_file_names_the_encoded_one_is_taken() -> None:
    encoded = "filename*=UTF-8''d%C3%A9j%C3%A0.txt"
    _, uploads = read(
        part("f", b"x", f'; filename="d_j_.txt"; {encoded}'),
        part("f", b"x", f"; {encoded}; filename=d_j_.txt"),
        part("f", b"x", f'; filename="a; {encoded}"'),
    )
    assert [each.part.filename for each in uploads] == ["déjà.txt", "déjà.txt", f"a; {encoded}"]


def test_a_file_name_without_quotes_may_have_spaces() -> None:
    _, uploads = read(
        part("f", b"x", "; filename=site plan.pdf; size=1"),
        part("g; filename=h", b"x", "; filename=plan.pdf"),
        part("ticket[title; filename=x y]", b"x", '; filename="a b.txt"'),
    )
    assert [upload.part.filename for upload in uploads] == ["site plan.pdf", "plan.pdf", "a b.txt"]


@pytest.mark.parametrize("charset", ["latin-1", "cp932"])
def test_a_name_that_is_not_utf_8_is_refused_without_words_of_python(charset: str) -> None:
    head = 'Content-Disposition: form-data; name="f"; filename="§.txt"\r\n\r\n'.encode(charset)
    with pytest.raises(
        BadRequest, match=r"^The names of fields and files in a multipart form must be UTF-8$"
    ):
        read(b"--xyz\r\n" + head + b"x\r\n")


def test_text_parts_have_a_limit_together_and_files_do_not() -> None:
    file = part("f", b"x" * 5000, '; filename="a"')
    read(file, part("a", b"x" * 500), part("b", b"x" * 500))
    with pytest.raises(TooLarge):
        read(file, part("a", b"x" * 500), part("b", b"x" * 501))


def test_all_documents_together_hold_100_000_values_at_most() -> None:
    many = part("x", b'{"a":[' + b"1," * 49_990 + b"1]}", content_type="application/json")
    assert read(many, many, most_text=1_000_000)[0]
    with pytest.raises(BadRequest, match="more than 100000 values"):
        read(many, many, many, most_text=1_000_000)


def test_what_a_sink_raises_comes_through() -> None:
    def refuse(_: FilePart) -> Basket:
        raise TooLarge

    body = part("f", b"x", '; filename="a"') + b"--xyz--"
    with pytest.raises(TooLarge):
        fed(body, TYPE, None, refuse, 1000)


WHOLE = part("a", b"1") + part("f", b"x", '; filename="a"') + b"--xyz--"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--xyz",
        b"no form at all",
        WHOLE.replace(b"form-data", b"attachment"),
        WHOLE.replace(b"a", b"\xff"),
        part("a", b"\xff") + b"--xyz--",
        part("a", b"{", content_type="application/json") + b"--xyz--",
        part("a", b"1") * 1001 + b"--xyz--",
        part("a" * 10_000, b"1") + b"--xyz--",
    ],
)
def test_a_broken_form_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        fed(body, TYPE, None, Basket, 10_000)


def test_a_form_cut_anywhere_is_refused() -> None:
    for length in range(len(WHOLE)):
        with pytest.raises(BadRequest):
            fed(WHOLE[:length], TYPE, len(WHOLE), Basket, 1000)


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary="\udcff"',
        "",
        "\udcff",
    ],
)
def test_a_form_without_a_boundary_is_refused(content_type: str) -> None:
    with pytest.raises(BadRequest):
        fed(WHOLE, content_type, None, Basket, 1000)


PIECES = st.sampled_from(
    [b"--xyz\r\n", b"--xyz--", b"\r\n", part("a", b"1"), WHOLE, b"Content-Type: x", b": "]
)


@given(st.lists(PIECES | st.binary(max_size=4)).map(b"".join), st.none() | st.integers(0, 500))
@settings(deadline=None, max_examples=60)
def test_no_bytes_raise_anything_but_a_client_error(body: bytes, length: int | None) -> None:
    with suppress(SkerryError):
        fed(body, TYPE, length, Basket, 1000)
