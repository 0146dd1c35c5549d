"""Which requests are quick, and which are searches: known by their heads."""

from base64 import b64encode

import pytest

from skerry.web.lanes import is_search, may_be_quick


@pytest.mark.parametrize(
    "headers",
    [
        {"REQUEST_METHOD": "PUT"},
        {"CONTENT_LENGTH": "3"},
        {"HTTP_TRANSFER_ENCODING": "chunked"},
        {"HTTP_AUTHORIZATION": f"Basic {b64encode(b'ada@example.org:secret').decode()}"},
        {"HTTP_AUTHORIZATION": f"Basic {b64encode(b'ada@example.org:secret:x').decode()}"},
        {"HTTP_AUTHORIZATION": f"\xa0bASIC  \xa0 {b64encode(b'ada@example.org:secret').decode()} "},
        {"PATH_INFO": "/attachments/3/roof.jpg"},
        {"PATH_INFO": "/avatars/1-0123456789abcdef0123456789abcdef01234567"},
    ],
)
def test_a_request_that_may_take_its_time_is_known_by_its_head(headers):
    asked = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a", "QUERY_STRING": "", **headers}
    assert not may_be_quick(asked)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"QUERY_STRING": "page=2&seq=1"},
        {"HTTP_AUTHORIZATION": f"Basic {b64encode(b'token:x').decode()}"},
        {"HTTP_AUTHORIZATION": f"\xa0basic  {b64encode(b'token:x').decode()}"},
        {"HTTP_AUTHORIZATION": "Basic rubbish"},
        {"HTTP_AUTHORIZATION": "Bearer token"},
        {"CONTENT_LENGTH": "0"},
    ],
)
def test_what_only_looks_something_up_is_quick(headers):
    assert may_be_quick({"REQUEST_METHOD": "GET", "PATH_INFO": "/a", "QUERY_STRING": "", **headers})


def test_a_search_is_known_by_its_address():
    for query in ("page=2&q=rain", "q=", "%71=rain"):
        assert is_search({"QUERY_STRING": query})
    assert not is_search({"QUERY_STRING": "page=2&seq=1"})
