"""Pages of lists over HTTP."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

TICKET = {"ticket": {"title": "Leak"}}


@pytest.fixture
def tickets(world, ada, roof):
    """The address of a list of 70 tickets, made behind the interface as HTTP would take its time."""
    path = f"/projects/{roof}/tickets"
    ada.post(path, TICKET)
    columns = _columns(world)
    with world.database.engine.begin() as connection:
        connection.exec_driver_sql(
            f"WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 70) "
            f"INSERT INTO tickets ({', '.join(columns)}) SELECT {', '.join(columns.values())} "
            f"FROM tickets, n "
            f"WHERE account_id = {world.account_id} AND project_id = {roof} AND number = 1"
        )
        connection.exec_driver_sql(
            f"UPDATE project_counters SET tickets_count = 70, last_number = 70, open_tickets_count = 70 "
            f"WHERE account_id = {world.account_id} AND project_id = {roof}"
        )
    return path


def _columns(world):
    with world.database.engine.connect() as connection:
        names = connection.exec_driver_sql("SELECT * FROM tickets LIMIT 0").keys()
    changed = {"number": "n.n", "updated_at": "updated_at + n.n * 1000000"}
    return {name: changed.get(name, f"tickets.{name}") for name in names}


def numbers(answer):
    return [ticket["number"] for ticket in answer.items]


def links(answer):
    """Return the addresses of the Link header by their relation."""
    found = re.findall(r'<([^<>]*)>; rel="(\w+)"', answer.headers["link"])
    assert ", ".join(f'<{address}>; rel="{name}"' for address, name in found) == answer.headers["link"]
    return {name: address for address, name in found}


def pages(answer):
    return {name: int(parse_qs(urlsplit(link).query)["page"][0]) for name, link in links(answer).items()}


@pytest.mark.matrix("both")
def test_a_page_holds_30_tickets(ada, tickets):
    assert numbers(ada.get(tickets)) == list(range(70, 40, -1))
    assert numbers(ada.get(f"{tickets}?page=2")) == list(range(40, 10, -1))
    assert numbers(ada.get(f"{tickets}?page=3")) == list(range(10, 0, -1))


def test_limit_changes_how_many_up_to_100(ada, tickets):
    assert numbers(ada.get(f"{tickets}?limit=7&page=2")) == list(range(63, 56, -1))
    assert len(ada.get(f"{tickets}?limit=100").items) == 70


def test_a_limit_above_100_is_100(ada, tickets):
    for limit in ("101", "5000", "9" * 18):
        answer = ada.get(f"{tickets}?limit={limit}&page=2")
        assert (answer.status, answer.items, pages(answer)["last"]) == (200, [], 1)


def test_a_page_past_the_end_is_an_empty_list(ada, tickets):
    for page in ("4", "1000", "9" * 18):
        answer = ada.get(f"{tickets}?page={page}")
        assert (answer.status, answer.items, answer.headers["x-total-count"]) == (200, [], "70")
        assert pages(answer) == {"first": 1, "last": 3, "prev": 3}


@pytest.mark.matrix("both")
def test_headers_say_how_many_there_are_and_where_the_pages_are(ada, tickets):
    answer = ada.get(tickets)
    assert answer.headers["x-total-count"] == "70"
    assert pages(answer) == {"first": 1, "last": 3, "next": 2}
    assert pages(ada.get(f"{tickets}?page=2")) == {"first": 1, "last": 3, "prev": 1, "next": 3}
    assert pages(ada.get(f"{tickets}?page=3")) == {"first": 1, "last": 3, "prev": 2}


def test_the_headers_follow_the_limit(ada, tickets):
    assert pages(ada.get(f"{tickets}?limit=35")) == {"first": 1, "last": 2, "next": 2}
    assert pages(ada.get(f"{tickets}?limit=69&page=2")) == {"first": 1, "last": 2, "prev": 1}


@pytest.mark.matrix("both")
def test_an_empty_list_has_one_page(ada, roof):
    answer = ada.get(f"/projects/{roof}/tickets")
    assert (answer.headers["x-total-count"], pages(answer)) == ("0", {"first": 1, "last": 1})


def test_links_are_absolute_and_can_be_followed_to_the_end(ada, tickets):
    found, address = [], f"http://{ada.host}{tickets}.{ada.format}?limit=20"
    while address:
        assert address.startswith(f"http://{ada.host}{tickets}.{ada.format}?")
        answer = ada.get(address.removeprefix(f"http://{ada.host}"))
        found += numbers(answer)
        address = links(answer).get("next")
    assert found == list(range(70, 0, -1))


def test_links_keep_the_other_parameters(ada, tickets):
    answer = ada.get(f"{tickets}?limit=5&x=a%20%26%22%3E%3Cb%C3%A9&page=2&empty=")
    query = parse_qs(urlsplit(links(answer)["next"]).query, keep_blank_values=True)
    assert query == {"limit": ["5"], "x": ['a &"><bé'], "empty": [""], "page": ["3"]}


def test_a_token_is_never_repeated_in_a_link(world, tickets):
    token = world.token(world.people["ada"].user_id)
    answer = world.client().get(f"{tickets}?_token={token}&limit=5")
    assert (answer.status, len(answer.items)) == (200, 5)
    for value in answer.headers.values():
        assert token not in value
        assert "_token" not in value


def test_without_extension_the_links_have_none_either(ada, tickets):
    answer = ada.get(f"{tickets}!", Accept=f"application/{ada.format}")
    assert links(answer)["next"] == f"http://{ada.host}{tickets}?page=2"


@pytest.mark.matrix("both")
def test_the_body_of_a_list_of_tickets_says_nothing_of_pages(ada, tickets):
    answer = ada.get(tickets)
    assert list(answer.data) == ["tickets"]
    assert b"total" not in answer.body
    assert b"current_page" not in answer.body


@pytest.mark.parametrize(
    "value", ["0", "-1", "one", "1.5", " ", "1e3", "%2B1", "0x1", "%D9%A3", "00", "1%00", "1,2"]
)
def test_only_a_positive_whole_number_is_accepted(ada, roof, value):
    for name in ("page", "limit"):
        answer = ada.get(f"/projects/{roof}/tickets?{name}={value}")
        if value == "1%00":
            assert answer.status == 400
        else:
            assert answer.status == 422
            assert answer.errors == [f"{name.capitalize()} must be a positive whole number"]


@pytest.mark.parametrize("query", ["limit=&page=", "q=&limit=&page="])
def test_an_empty_page_or_limit_counts_as_absent(ada, tickets, query):
    answer = ada.get(f"{tickets}?{query}")
    assert (answer.status, len(answer.items)) == (200, 30)
    following = ada.get(links(answer)["next"].removeprefix(f"http://{ada.host}"))
    assert numbers(following) == list(range(40, 10, -1))


@pytest.mark.matrix("both")
@pytest.mark.parametrize("value", ["1" * 10, "1" * 19, "9" * 5000])
def test_the_numbers_of_a_page_may_have_any_size(ada, tickets, value):
    assert len(ada.get(f"{tickets}?limit={value}").items) == 70
    beyond = ada.get(f"{tickets}?page={value}")
    assert (beyond.status, beyond.items, beyond.headers["x-total-count"]) == (200, [], "70")


@pytest.mark.matrix("both")
def test_the_account_wide_list_is_paged_too(ada, tickets):
    answer = ada.get("/tickets?limit=50&page=2")
    assert (len(answer.items), answer.headers["x-total-count"]) == (20, "70")
    assert links(answer)["prev"].startswith(f"http://{ada.host}/tickets.{ada.format}?")


def test_unpaged_lists_ignore_page_and_limit(ada, roof):
    for query in ("page=0", "limit=none", "page=7&limit=1"):
        assert len(ada.get(f"/projects?{query}").items) == 1


def test_head_gives_the_same_headers(ada, tickets):
    got, head = ada.get(f"{tickets}?page=2"), ada.send("HEAD", f"{tickets}?page=2")
    for name in ("x-total-count", "link", "etag"):
        assert head.headers[name] == got.headers[name]
