"""The size limit of responses: long texts are shortened, marked, and available elsewhere."""

import re

import pytest

from skerry.wire import budget
from tests.support.client import check_refused

# Long texts take long to write: both shorten a list and a ticket, and read every kind of text again.
BOTH = pytest.mark.matrix("both")

# Few words, which take no time to index.
LONG = f"It {'drips' * 19}. " * 10_000
DEAR = "<&'\"" * 250_000


def opened(client, project, body=LONG, **fields):
    """Open a ticket and return its address."""
    ticket = {"ticket": {"title": "Leak", "body": body, **fields}}
    answer = client.post(f"/projects/{project}/tickets", ticket)
    assert answer.status == 201, answer.body[:300]
    return f"/projects/{project}/tickets/{answer.item['number']}"


def posted(client, project, body=LONG):
    answer = client.post(f"/projects/{project}/messages", {"message": {"title": "Storm", "body": body}})
    return f"/projects/{project}/messages/{answer.item['id']}"


def is_cut(text, whole=LONG):
    return (
        text.endswith(budget.MARK) and whole.startswith(text.removesuffix(budget.MARK)) and len(text) > 10_000
    )


def fits(answer):
    """Assert that an answer fills most of its budget, no more, and says that it was shortened."""
    assert answer.status == 200, answer.body[:300]
    assert budget.MAX // 2 < len(answer.body) <= budget.MAX
    assert answer.headers["x-texts-shortened"] == "true"
    return answer


@BOTH
def test_a_list_of_long_texts_keeps_its_items_and_shortens_the_longest_and_is_known_again(ada, roof):
    opened(ada, roof, "It is *short*")
    for _ in range(9):
        opened(ada, roof)
    lists = ("/tickets", f"/projects/{roof}/tickets?q=leak", f"/projects/{roof}/tickets")
    # The formats have the same texts, of which the other one takes much longer to read.
    for at in lists if ada.format == "json" else lists[:1]:
        first = fits(ada.get(at))
        *long, short = first.items
        assert short["body_html"] == "<div><p>It is <em>short</em></p></div>", at
        assert [(is_cut(ticket["body"]), ticket["body_html"]) for ticket in long] == [(True, "")] * 9, at
        again = ada.get(at, If_None_Match=first.headers["etag"])
        assert (again.status, again.headers["x-texts-shortened"]) == (304, "true"), at
    ada.put(f"/projects/{roof}/tickets/1/versions/1", {"version": {"body": "It is short"}})
    assert ada.get(at, If_None_Match=first.headers["etag"]).status == 200


@BOTH
def test_a_single_long_text_is_whole_in_every_list(ada, roof):
    message = posted(ada, roof, "Look")
    ada.post(f"{message}/comments", {"comment": {"body": LONG}})
    ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": "Dry", "goals": LONG}})
    changeset = {"revision": "1f", "body": LONG, "changes": "[['M', 'roof']]"}
    ada.post(f"/projects/{roof}/changesets", {"changeset": changeset})
    ada.put(f"/projects/{roof}/settings", {"settings": {"description": LONG}})
    lists = (("milestones", "goals"), ("changesets", "body"))
    shown = [ada.get(f"/projects/{roof}/{name}").items[0][field] for name, field in lists]
    shown.append(ada.get(message).item["comments"][0]["body"])
    shown.append(ada.get("/projects").items[0]["description"])
    assert shown == [LONG] * 4


def test_a_list_of_short_texts_has_no_header_about_shortening(ada, roof):
    opened(ada, roof, "It drips. " * 5_000)
    answer = ada.get(f"/projects/{roof}/tickets")
    assert answer.items[0]["body"] == "It drips. " * 5_000
    assert answer.items[0]["body_html"].startswith("<div>")
    assert "x-texts-shortened" not in answer.headers


# Each text with as many as are too many if they are written at that price.
@pytest.mark.parametrize(
    ("text", "many"), [(DEAR, 2), ("ж" * 500_000, 4), ("a" * 900_000 + "😀", 2)], ids=["signs", "far", "wide"]
)
def test_texts_that_grow_when_encoded_fit_too(ada, roof, text, many):
    for _ in range(many):
        opened(ada, roof, text)
    for name in ("xml", "json"):
        assert len(ada.get(f"/projects/{roof}/tickets.{name}").body) <= budget.MAX
        assert len(ada.get(f"/projects/{roof}/tickets/1.{name}").body) <= budget.MAX


@BOTH
def test_a_ticket_shows_its_newest_comments_and_leads_to_all_whole_texts(ada, roof):
    ticket = opened(ada, roof, "Look")
    said = [f"{number} {LONG}" for number in range(9)]
    for text in said:
        ada.put(ticket, {"ticket": {"body": text}})
    answer = fits(ada.get(ticket))
    shown = [version["body"] for version in answer.item["versions"]]
    assert shown == said[-len(shown) :]
    assert 2 <= len(shown) < 9
    address, relation = re.fullmatch(r'<(.*)>; rel="(.*)"', answer.headers["link"]).groups()
    assert relation == "version-history"
    found = []
    while address:
        page = ada.get(address.removeprefix(f"http://{ada.host}"))
        assert len(page.body) <= budget.MAX
        found += [version["body"] for version in page.items]
        links = dict(re.findall(r'<([^>]*)>; rel="(\w+)"', page.headers["link"]))
        address = next((each for each, name in links.items() if name == "next"), None)
    assert found == ["Look", *said]


def test_a_message_shows_its_newest_comments_and_leads_to_all(ada, roof):
    message = posted(ada, roof, "Look")
    said = [f"{number} {LONG}" for number in range(9)]
    for text in said:
        assert ada.post(f"{message}/comments", {"comment": {"body": text}}).status == 201
    answer = fits(ada.get(message))
    shown = [comment["body"] for comment in answer.item["comments"]]
    assert shown == said[-len(shown) :]
    assert answer.item["comments_count"] == 9
    link = re.fullmatch(
        rf'<http://{ada.host}({message}/comments\.\w+\?limit=1)&page=1>; rel="replies"',
        answer.headers["link"],
    )
    pages = [ada.get(f"{link[1]}&page={number}") for number in range(1, 10)]
    assert [page.items[0]["body"] for page in pages] == said
    (listed,) = fits(ada.get(f"/projects/{roof}/messages")).items
    assert [comment["body"] for comment in listed["comments"]] == shown


def test_a_list_of_messages_with_long_texts_fits(ada, roof):
    messages = [posted(ada, roof) for _ in range(8)]
    ada.post(f"{messages[0]}/comments", {"comment": {"body": "Aye"}})
    found = fits(ada.get(f"/projects/{roof}/messages")).items
    assert [is_cut(message["body"]) for message in found] == [True] * 8
    assert [comment["body"] for comment in found[0]["comments"]] == ["Aye"]


def test_lists_of_milestones_changesets_and_projects_fit(ada, roof):
    for number in range(9):
        ada.post(f"/projects/{roof}/milestones", {"milestone": {"title": f"{number}", "goals": LONG}})
        changes = "[['M', 'roof']]"
        changeset = {"revision": f"r{number}", "body": LONG, "changes": changes}
        ada.post(f"/projects/{roof}/changesets", {"changeset": changeset})
        project = ada.post("/projects", {"project": {"name": f"Roof {number}"}}).item["id"]
        ada.put(f"/projects/{project}/settings", {"settings": {"description": LONG}})
    milestones = fits(ada.get(f"/projects/{roof}/milestones")).items
    assert [is_cut(each["goals"]) for each in milestones] == [True] * 9
    changesets = fits(ada.get(f"/projects/{roof}/changesets")).items
    assert [(is_cut(each["body"]), each["changes"] != []) for each in changesets] == [(True, True)] * 9
    described = [each["description"] for each in fits(ada.get("/projects")).items]
    assert sorted(map(is_cut, filter(None, described))) == [True] * 9
    assert ada.get(f"/projects/{project}").item["description"] == LONG
    assert ada.get(f"/projects/{project}/settings").item["description"] == LONG


@BOTH
def test_versions_are_whole_in_one_list_and_come_in_pages_if_asked(ada, roof):
    ticket = opened(ada, roof, "Look")
    for number in range(3):
        ada.put(ticket, {"ticket": {"body": f"{number}"}})
    assert [each["version"] for each in ada.get(f"{ticket}/versions").items] == [1, 2, 3, 4]
    page = ada.get(f"{ticket}/versions?page=2&limit=3")
    assert [each["version"] for each in page.items] == [4]
    assert page.headers["x-total-count"] == "4"
    check_refused(ada.get(f"{ticket}/versions?page=none"), 422)


@BOTH
@pytest.mark.parametrize("end", ["", "\r\n ", "\n"])
def test_a_shortened_text_is_refused_when_it_is_sent_back(ada, roof, end):
    ticket, message = opened(ada, roof, "Whole"), posted(ada, roof, "Whole")
    text = f"Who{budget.MARK}{end}"
    sent = {"body": text}
    check_refused(ada.put(ticket, {"ticket": sent}), 422)
    check_refused(ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Again", **sent}}), 422)
    check_refused(ada.put(f"{ticket}/versions/1", {"version": {"body": text}}), 422)
    check_refused(ada.put(message, {"message": {"body": text}}), 422)
    check_refused(ada.post(f"{message}/comments", {"comment": {"body": text}}), 422)
    check_refused(ada.put(f"/projects/{roof}/settings", {"settings": {"description": text}}), 422)
    assert (ada.get(ticket).item["version"], ada.get(ticket).item["body"]) == (1, "Whole")
    assert ada.get(message).item["body"] == "Whole"
    assert ada.put(ticket, {"ticket": {"body": f"> {text} says the page\nthe rest is at /1"}}).status == 200


def test_a_ticket_with_a_long_text_is_changed_under_the_condition_of_its_tag(ada, roof):
    ticket = opened(ada, roof)
    for _ in range(4):
        ada.put(ticket, {"ticket": {"body": LONG}})
    tag = fits(ada.get(ticket)).headers["etag"]
    assert ada.put(ticket, {"ticket": {"state": "open"}}, If_Match=tag).status == 200
    assert ada.put(ticket, {"ticket": {"state": "open"}}, If_Match=tag).status == 412
