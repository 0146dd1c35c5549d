"""References to tickets of other projects, and texts of moved tickets."""

import re

import pytest

from skerry.text import markdown
from skerry.text.project_words import NamedProject, resolved, word_of

EVERYWHERE = """color: #333 #12, >#4 a#5 see roof#6
>#7
- [ ] #8
| a | b |
|---|---|
|#9| #10 |

    #11 code

`#12` [#13](/x) [#14 state:open] "see":http://x.example/#15 <b>#16</b> \\#17 *#18* @#19@ http://x.example/a#20
#21 &#35;22 (#23) #24. [a #25 b] ##26 #27x

```
#28
```
<pre>#29</pre>
# #30
@@@
#31
@@@
"""


def linked(text, title, **known):
    return sorted(map(int, re.findall(rf'title="{title}#(\d+)"', markdown.render(text, 1, **known))))


def test_exactly_what_is_a_link_to_a_ticket_gets_the_word_of_its_project():
    wanted = linked(EVERYWHERE, "Ticket ")
    assert len(wanted) > 8
    changed = markdown.qualified(EVERYWHERE, "hull", 10**6)
    assert sorted(map(int, re.findall(r"hull#(\d+)", changed))) == wanted
    assert changed.replace("hull#", "#") == EVERYWHERE
    assert linked(changed, "In hull: ticket ", projects={"hull": 7}) == wanted
    assert linked(changed, "Ticket ") == []
    assert markdown.qualified(changed, "hull", 10**6) == changed


def test_numbers_that_were_never_given_stay_as_they_are():
    assert markdown.qualified("color: #333 as in #12", "roof", 332) == "color: #333 as in roof#12"


def test_a_number_that_names_a_link_stays_as_it_is():
    text = "[#12]: http://x.example/\n\n[#12] and #13"
    assert markdown.qualified(text, "roof", 99) == text.replace("#13", "roof#13")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *((text, 1) for text in ("roof#12", "ROOF#12!", "[roof#12]", "7-anything#12")),
        *((text, 0) for text in ("a/roof#12", "roof#12x", "roof #12", "hull#12", "`roof#12`", "roof#012")),
    ],
)
def test_the_word_of_a_project_before_a_number_makes_a_link(text, count):
    projects = resolved(markdown.project_candidates(text), [NamedProject(7, "Roof", "roof")])
    html = markdown.render(text, None, projects=projects)
    assert html.count('<a href="/projects/7/tickets/12" title="In ') == count


def test_words_of_projects_are_unique_and_mean_nothing_else():
    roof, other, year, cyrillic, italic = some = [
        NamedProject(7, "Roof", "roof"),
        NamedProject(8, "Roof", "roof"),
        NamedProject(9, "2020 plan", "2020-plan"),
        NamedProject(10, "Крыша", ""),
        NamedProject(11, "_x_", "_x_"),
    ]
    words = [word_of(each, some) for each in some]
    assert words == ["7-roof", "8-roof", "9-project", "10-project", "11-project"]
    assert resolved(words, some) == dict(zip(words, (7, 8, 9, 10, 11), strict=True))
    assert word_of(roof, [roof, year]) == "roof"
    assert resolved(["roof", "2020-plan", "7"], [roof, other, year, cyrillic, italic]) == {}
