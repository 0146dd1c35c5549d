"""Mentions of people in texts."""

from time import process_time

import pytest

from skerry.text import mentions
from skerry.text.markdown import MAX_TEXT_LENGTH, render

PEOPLE = {
    1: "Ada Lovelace",
    2: "Ben Boole",
    3: "Cy O'Brien",
    4: "Ada Byron",
    5: "Kim Li",
    6: "Kim Li",
    7: "Zoë",
}


def named(text: str) -> list[int]:
    return sorted(mentions.linked(render(text, 1, people=mentions.keys(PEOPLE))))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@ben", [2]),
        ("Hello @Ben, @ZOË.", [2, 7]),
        ("(@ben) *@zoë* _@Ben_Boole_", [2, 7]),
        ("@ada", []),
        ("@Ada_Lovelace and @ada_byron", [1, 4]),
        ('@"Ada  Byron"', [4]),
        ("@cy_o'brien", [3]),
        ("@ben's, @zoë-like", [2, 7]),
        ("@kim @Kim_Li", []),
        ("@Kim_Li-6", [6]),
        ("@nobody @", []),
    ],
)
def test_people_are_found_by_a_first_or_whole_name_that_is_unique(text: str, found: list[int]) -> None:
    assert named(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "me@ben",
        "me@ben.example",
        "@ben@example.org",
        "@ben@",
        "`@ben`",
        "    @ben",
        "@@@\n@ben\n@@@",
        "<code>@ben</code>",
        "[@ben](http://a.example)",
        "http://a.example/@ben",
        "www.a.example/@ben",
        "a/@ben",
        "\\@ben",
    ],
)
def test_nobody_is_named_in_code_links_and_addresses(text: str) -> None:
    assert named(text) == []


def test_a_mention_stays_as_it_was_written_and_leads_to_the_person() -> None:
    html = render('@"ben boole" is @zoë\'s', 1, people=mentions.keys(PEOPLE))
    ben = '<a href="/users/2" rel="nofollow noopener">@"ben boole"</a>'
    zoe = '<a href="/users/7" rel="nofollow noopener">@zoë</a>'
    assert html == f"<div><p>{ben} is {zoe}'s</p></div>"
    assert mentions.unlinked(html) == '<div><p>@"ben boole" is @zoë\'s</p></div>'


def test_every_suggested_spelling_names_the_person() -> None:
    people = {**PEOPLE, 8: "J. R. Smith, Jr.", 9: 'The "Other"', 10: "木村 太郎"}
    keys = mentions.keys(people)
    for user_id, text in mentions.written(people).items():
        assert mentions.linked(render(f"Ask {text}, now", 1, people=keys)) == {user_id}
    assert mentions.written(people).keys() == people.keys() - {9}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("> @ben", set()),
        ("> > @ben\n\n@zoë", {7}),
        ("> Look,\n@ben", set()),
        ("> - @ben\n>   > @ben\n\n- @zoë", {7}),
        ("- > @ben\n- @zoë", {7}),
        ("<blockquote>\n\n@ben\n\n</blockquote>\n\n@zoë", {7}),
        ("> @ben said\n\nYes, @ben", {2}),
    ],
)
def test_a_quotation_names_nobody(text: str, named: set[int]) -> None:
    assert mentions.mentioned(render(text, 1, people=mentions.keys(PEOPLE))) == named


def test_only_candidates_can_be_named() -> None:
    assert mentions.candidates("@ada's `@x` me@ben.example") == {"ada's", "ada", "x"}
    assert mentions.candidates("no names") == frozenset()
    assert len(mentions.candidates(" ".join(f"@n{n}" for n in range(500)))) == mentions.MAX


@pytest.mark.parametrize("unit", ["@", "@a.", '@"', " @ben", "@a-b-c-d", "@_", '@"a" '])
def test_a_hostile_text_takes_no_longer_than_its_length(unit: str) -> None:
    text = unit * (MAX_TEXT_LENGTH // len(unit))
    begun = process_time()
    mentions.candidates(text)
    render(text, 1, people=mentions.keys(PEOPLE))
    assert process_time() - begun < 10
