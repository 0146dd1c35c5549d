"""The type and size of pictures."""

import struct
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from skerry.wire.pictures import size_of

KINDS = {
    "png": ("PNG", {}),
    "interlaced gif": ("GIF", {"interlace": 1}),
    "jpeg": ("JPEG", {}),
    "progressive jpeg": ("JPEG", {"progressive": True}),
    "jpeg with exif": ("JPEG", {"exif": b"Exif\0\0" + b"x" * 60_000}),
    "webp": ("WEBP", {}),
    "lossless webp": ("WEBP", {"lossless": True}),
    "webp with exif": ("WEBP", {"exif": b"x"}),
    "bmp": ("BMP", {}),
    "tiff": ("TIFF", {}),
    "tiff from a mac": ("TIFF", {"big_endian": True}),
}


def drawn(width, height, kind):
    form, options = KINDS[kind]
    file = BytesIO()
    Image.new("RGB", (width, height), (200, 10, 30)).save(file, form, **options)
    return file.getvalue()


@given(width=st.integers(1, 400), height=st.integers(1, 400), kind=st.sampled_from(sorted(KINDS)))
@settings(deadline=None, max_examples=120)
def test_every_kind_tells_its_size(width, height, kind):
    assert size_of(BytesIO(drawn(width, height, kind))) == (width, height)


def test_a_bitmap_that_runs_from_the_top_has_a_height_too():
    assert size_of(BytesIO(b"BM" + bytes(12) + struct.pack("<Iii", 40, 3, -5))) == (3, 5)


def test_an_impossible_size_is_just_two_numbers():
    bomb = b"\x89PNG\r\n\x1a\n" + bytes(4) + b"IHDR" + struct.pack(">II", 2**31 - 1, 2**31 - 1)
    assert size_of(BytesIO(bomb)) == (2**31 - 1, 2**31 - 1)


@pytest.mark.parametrize("content", [b"", b"<svg width='3' height='4'/>", b"%PDF-1.7", b"GIF89a", b"BM"])
def test_a_file_that_is_no_picture_has_no_size(content):
    assert size_of(BytesIO(content)) is None


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_picture_cut_in_its_first_bytes_has_no_size(kind):
    assert size_of(BytesIO(drawn(8, 8, kind)[:9])) is None


def test_a_picture_without_width_has_no_size():
    assert size_of(BytesIO(b"GIF89a" + struct.pack("<HH", 0, 9) + bytes(20))) is None


def test_a_jpeg_of_nothing_but_segments_is_read_to_its_end():
    segment = b"\xff\xe1\x00\x02"
    assert size_of(BytesIO(b"\xff\xd8" + segment * 100_000)) is None


STARTS = st.sampled_from([drawn(9, 9, kind)[:64] for kind in sorted(KINDS)])


@given(STARTS, st.binary(max_size=80), st.integers(0, 40))
@settings(deadline=None, max_examples=300)
def test_no_bytes_raise_an_error(start, noise, place):
    size_of(BytesIO(start[:place] + noise + start[place + 3 :]))
