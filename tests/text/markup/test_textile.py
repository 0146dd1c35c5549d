"""Redmine's Textile reads in Markdown as it reads in Redmine."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.markdown import MAX_TEXT_LENGTH
from skerry.text.markup.redmine_links import Names
from skerry.text.markup.textile import markdown

HOME = "https://red.example/tracker"
FILES = {"a.png": "attachment:a.png"}
MARKS = [*'*_-+^~%|#@!:()[]{}&<>\n\t\0"', "??", "\n\n", "\ud800", "\ufdd0", "1\ufdd1", "==", " - ", ":="]
MARKS += [
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "{{toc}}",
    "{{",
    "}}",
    "[[",
    "]]",
    "%{color:red}",
    "\n---\n",
]
MARKS += [
    "\n* ",
    "\n## ",
    "\n|",
    "|\n",
    "\n> ",
    "\n>> ",
    "\nh1. ",
    "\nbq. ",
    "\nbc. ",
    "\nfn1. ",
    "|_.",
    "|\\2.",
]
MARKS += ['":http://x.example/a', "!a.png!", "#12", "#note-1", "@ada", "r1", "commit:abc1234", "[1]", "[#a]"]
PIECES = st.lists(st.sampled_from([*MARKS, " ", *(f" w{each}w " for each in range(30))]), max_size=40)


def names(**more):
    versions, people = {"3": "1.0"}, {"ada": "3", "ben": "7"}
    return Names(lambda name: FILES.get(name, ""), people, versions, project="roof", **more)


def read(text, **more):
    known = names(**more)
    return markdown(text, known), dict(+known.told)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h2. Roof\nIt leaks\n\nh3(red). *a*", "## Roof\n\nIt leaks\n\n### **a**"),
        ("*dry* _wet_ -old- +new+ ??cite?? __i__ **b**", "**dry** *wet* ~~old~~ <u>new</u> *cite* *i* **b**"),
        ("@a*b*@ <code>c*d</code> (@e@)", "`a*b*` `c*d` (`e`)"),
        ("* tiles\n** red\n* nails", "- tiles\n  - red\n- nails"),
        ("# first\nmore\n# second", "1. first\n   more\n2. second"),
        ("Roof\n* a\n* b", "Roof\n\n- a\n- b"),
        ('"the shop":https://x.example/a_b_c, and "x"', '[the shop](https://x.example/a_b_c), and "x"'),
        ("https://x.example/a_b_c and a_b_c", "https://x.example/a_b_c and a_b_c"),
        (
            "bq. It leaks\n\n> so *what*\n> * rain\n>> deep",
            "> It leaks\n\n> so **what**\n>\n> - rain\n>\n> > deep",
        ),
        ("|_. Tile|_. Count|\n|@a|b@|2|", "| Tile | Count |\n|---|---|\n| `a\\|b` | 2 |"),
        ("|a|*b*|\n|\\2. wide|", "|  |  |\n|---|---|\n| a | **b** |\n| wide |  |"),
        ("|>. *a*|\n|_<. b|\n|\\1>. c\nd|", "|  |\n|---|\n| **a** |\n| **b** |\n| c<br>d |"),
        ("Roof:\n * *a*\n * b", "Roof:\n\n- **a**\n- b"),
        ('<pre><code class="ruby">\nputs *1*\n</code></pre>', "```ruby\nputs *1*\n```"),
        ("a\n<pre>\n#12 @x@\n</pre>\nb", "a\n\n```\n#12 @x@\n```\n\nb"),
        ("bc. x *y* <b>", "```\nx *y* <b>\n```"),
        ("p>. right\n\np((. in", "right\n\nin"),
        ("a\n\n---\n\nb[1]\n\nfn1. Foot", "a\n\n---\n\nb[1]\n\n[1] Foot"),
        ('"a" -- (c) 3x4 ... it\'s == x ==', '"a" -- (c) 3x4 ... it\'s == x =='),
        ("<b>x</b> *no end # 5*3 1. x", "\\<b>x\\</b> \\*no end # 5\\*3 1. x"),
        ("1. one\n+ plus\n=====\n> > x", "1\\. one\n\\+ plus\n\\=====\n\n> > x"),
        ("- term := text\n- b", "- term := text\n- b"),
        ("note#a. text [#b] [c] http://x.example/", "note#a. text [#b] [c] http://x.example/"),
        ("<notextile>*x*</notextile>", "\\*x\\*"),
    ],
)
def test_marks_have_a_counterpart(text, expected):
    assert read(text) == (expected, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See #12, ##13, (#14), wall:#15 and !#16", "See #12, #13, (#14), #15 and \\#16"),
        ("#12-3 #12#note-3 #note-4", "#12, note 3 #12, note 3 note 4"),
        ("r12 wall:r3", "[r12](H/P/R/revisions/12) [wall:r3](H/projects/wall/R/revisions/3)"),
        ("repo|r4", "[repo|r4](H/P/R/repo/revisions/4)"),
        ("commit:abc1234.", "[commit:abc1234](H/P/R/revisions/abc1234)."),
        ("@ada, user:ben user#7 @dan user#8", "@3, @7 @7 @dan user#8"),
        ("[[Roof plan#x|plan]] ![[no]]", "[plan](H/P/wiki/Roof_plan#x) \\[\\[no\\]\\]"),
        ("[[wall:a]]", "[wall:a](H/projects/wall/wiki/A)"),
        ('attachment:a.png attachment:"b c.png"', '[a.png](attachment:a.png) attachment:"b c.png"'),
        ("!a.png! !b.png!", "![a.png](attachment:a.png) !b.png!"),
        ("!>a.png(alt)!:http://x.example/", "[![alt](attachment:a.png)](http://x.example/)"),
        ("version#3 document#4 message#5", "[1.0](H/versions/3) [document#4](H/documents/4) message#5"),
        ("source:a/b.rb@2#L3", "[source:a/b.rb@2#L3](H/P/R/entry/a/b.rb)"),
        ('"see":/issues/12', "[see](https://red.example/issues/12)"),
    ],
)
def test_references_lead_here_or_to_redmine(text, expected):
    written = (
        expected.replace("H/", f"{HOME}/").replace("/P/", "/projects/roof/").replace("/R/", "/repository/")
    )
    assert read(text, address=HOME)[0] == written


def test_without_an_address_references_are_words_and_commits_may_come_later():
    assert read("r12 [[Plan|p]] commit:abc1234 version#3") == (
        "r12 \\[\\[Plan|p\\]\\] [abc1234] 1.0",
        {"words": 3},
    )


def test_differences_are_counted():
    assert read("{{toc}} {{collapse(More)\n*x*\n}}")[1] == {"macros": 2}
    assert read("%{color:red}red% p{color:red}. x\n\np{color:red}. x")[1] == {"styles": 2}
    assert read("a ^2^ b ~3~")[1] == {"small": 2}
    assert read("!b.png! attachment:c #5-6")[1] == {"pictures": 1, "files": 1, "notes": 1}


@pytest.mark.parametrize("text", ["*" * 1000 + " deep", "|*a\n" * 3000, "*word* " * 800, "*a* " * 10000])
def test_what_the_libraries_cannot_take_loses_its_marks_and_no_word(text):
    written, told = read(text)
    assert told == {"texts": 1}
    assert re.findall(r"\w+", written) == re.findall(r"\w+", text)


def test_nested_code_and_quotations_end():
    assert read("<pre>" * 2000)[0].count("<pre>") == 1999
    assert read("> " * 1000 + "deep")[0].endswith("deep")
    assert read("\n".join(">" * depth + f" w{depth}w" for depth in range(1, 200)))[0].count("w") == 398
    assert read("word " * MAX_TEXT_LENGTH) == ("word " * MAX_TEXT_LENGTH, {"texts": 1})


@pytest.mark.parametrize(
    "piece", ["\n\n* a", "\nh1. a", "*a ", "%{color:red}", "\n|a|b|", '"a":', "@a ", "[[", "\n> a"]
)
def test_long_texts_need_few_calls_of_the_libraries(piece, monkeypatch):
    seen = []
    convert = "skerry.text.markup.textile.converted_by_libraries"
    monkeypatch.setattr(convert, lambda text, *_: seen.append(len(text)) or text)
    read((piece * MAX_TEXT_LENGTH)[:MAX_TEXT_LENGTH])
    assert len(seen) <= 1000
    assert max(seen, default=0) <= 8 * 1024


@settings(max_examples=60, deadline=None)
@given(PIECES)
def test_no_text_is_refused_and_no_word_lost(pieces):
    text = "".join(pieces)
    written = markdown(text, names())
    assert set(re.findall(r"w\d+w", text)) <= set(re.findall(r"w\d+w", written))
