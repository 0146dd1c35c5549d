"""The changed files of a changeset, read from everything that hooks send."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.changed_files import MAX_BYTES, read_changes
from skerry.wire import yaml

TWO = [("A", "/lib/a.rb"), ("D", "/lib/b c.rb")]
CODES = st.sampled_from("AMD")
PATHS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1)
# A line is split at blanks and ends where it does, so a path in one has no blanks around it.
LINE_PATHS = PATHS.filter(lambda path: path == path.strip())
# YAML 1.1 folds or refuses these even in quotes.
YAML_PATHS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\u2028\u2029\ufffe\uffff"),
    min_size=1,
).filter(str.strip)


@pytest.mark.parametrize(
    "sent",
    [
        "--- \n- - A\n  - /lib/a.rb\n- - D\n  - /lib/b c.rb\n",
        "\n    - - A\n      - /lib/a.rb\n    - - R\n      - /lib/b c.rb\n  ",
        "- [A, /lib/a.rb]\n- [D, '/lib/b c.rb']",
        "-\n  - A\n  - /lib/a.rb\n-\n  - R\n  - /lib/b c.rb",
        "%YAML 1.1\n---\n- - A\n  - /lib/a.rb\n- - D\n  - /lib/b c.rb",
        '[["A","\\/lib\\/a.rb"],["D","\\/lib\\/b c.rb"]]',
        "[[A, /lib/a.rb], [D, /lib/b c.rb]]",
        "A /lib/a.rb\nD /lib/b c.rb",
        "  A\t/lib/a.rb  \r\n\r\n  R   /lib/b c.rb\r\n",
        "---\n- A /lib/a.rb\n- D /lib/b c.rb\n",
        '- "A /lib/a.rb"\n- "D /lib/b c.rb"\n',
        [["A", "/lib/a.rb"], ["D", "/lib/b c.rb"]],
        [["A", "/lib/a.rb", 12, None], ["R", "/lib/b c.rb", "more"]],
        ["A /lib/a.rb", "- D /lib/b c.rb"],
        [["A /lib/a.rb"], "", ["R", "/lib/b c.rb"]],
    ],
)
def test_every_form_gives_the_same_pairs(sent):
    assert read_changes(sent) == TWO


@pytest.mark.parametrize("sent", [None, "", " \n", "[]", "--- []\n\n", "---", "nil", "~", "[\n]", []])
def test_an_empty_text_is_an_empty_list_of_changes(sent):
    assert read_changes(sent) == []


@pytest.mark.parametrize("sent", ["- - M\n", [["M"]], '[["M"]]'])
def test_a_code_without_a_path_is_allowed_only_in_a_truncated_list(sent):
    assert read_changes(sent, cut_short=True) == []
    with pytest.raises(ValueError, match=r"each with a path; (item|line) 1 is 'M'"):
        read_changes(sent)


@pytest.mark.parametrize("sent", [[["and 120 more files"]], [[]], "[[]]"])
def test_a_comment_in_a_list_is_not_a_change(sent):
    assert read_changes(sent) == []


@pytest.mark.parametrize("code", ["U", "_U", "UU", "T", "C", "C075", "AM", "X", "m", "a"])
def test_an_unknown_code_of_git_or_subversion_becomes_m(code):
    assert read_changes([[code, "/a"]]) == read_changes(f"{code}   /a") == read_changes(f"- {code} /a\n")
    assert read_changes(f"- - {code}\n  - /a\n") == read_changes([f"{code} /a"]) == [("M", "/a")]


@pytest.mark.parametrize("code", ["R", "R100", "RM"])
def test_a_code_that_begins_with_r_becomes_d(code):
    assert read_changes([[code, "/a"]]) == read_changes(f"{code} /a") == [("D", "/a")]


def test_a_file_that_git_says_was_renamed_is_removed_and_added_and_a_copy_is_m():
    assert read_changes("R100\t/a b\t/c\nC075\t/d\t/e") == [("D", "/a b"), ("A", "/c"), ("M", "/e")]


def test_yaml_values_that_look_like_numbers_dates_or_null_stay_text():
    sent = "- - A\n  - 1.0\n- - M\n  - 2008-04-01\n- - M\n  - yes\n- - D\n  - ~\n"
    assert [path for _, path in read_changes(sent)] == ["1.0", "2008-04-01", "yes", "~"]


def test_binary_text_of_old_ruby_is_decoded():
    path = base64.b64encode("/lib/é.rb".encode()).decode()
    assert read_changes(f"- - A\n  - !binary |\n    {path}\n") == [("A", "/lib/é.rb")]


@pytest.mark.parametrize("escaped", [r"/\xC3\xA9.rb", r"/\xE9.rb", r"/\u00e9.rb", "/é.rb"])
def test_letters_that_are_escaped_byte_by_byte_are_letters(escaped):
    assert read_changes(f'- - A\n  - /日\n- - A\n  - "{escaped}"\n')[1] == ("A", "/é.rb")


def test_binary_that_is_no_text_is_refused():
    with pytest.raises(ValueError, match=r"binary; line 2"):
        read_changes("- - A\n  - !!binary /w==\n")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("A /a\nM", "line 2 is 'M'"),
        ("- - A\n  - /a\n- - U\n  - ''\n", "line 3 is 'U'"),
        ([["A", "/a"], ["", "/b"]], "item 2 is '/b'"),
        ([["A", None]], "item 1 is 'A'"),
        ([["A", "  "]], "item 1 is 'A'"),
        ([["A", True]], "item 1 is not one"),
        ([{"A": "/a"}], "item 1 is not one"),
        ('[["A", {"path": "/a"}]]', "item 1 is not one"),
        ("- - A\n  - [/a]\n", "line 2 is not one"),
        ("- {A: /a}", "line 1 is not one"),
        ("{A: /a}", "line 1 is not one"),
        ("'A /a'", "line 1 is not one"),
        ("- - A\n  - 'b", "YAML, or lines: found unexpected end of stream, line 2"),
        ("- - A\n  - \x01", "a character that YAML does not allow"),
        ('[["A", "/\\u0000"]]', "cannot be stored, in item 1"),
        ('[["A", "/\\ud800"]]', "cannot be stored, in item 1"),
        ('- - A\n  - "\\0"', "cannot be stored, in line 1"),
    ],
)
def test_an_invalid_list_of_changes_is_refused_with_its_place(sent, said):
    with pytest.raises(ValueError, match=r"^Changes ") as caught:
        read_changes(sent)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "sent",
    [
        "- &a [A, /x]\n" + "- *a\n" * 1000,
        "- - &p A\n  - *p\n",
        "[&a [x, x], &b [*a, *a], &c [*b, *b], &d [*c, *c]]",
        "- - A\n  - <<: *x\n",
        "".join(f"%TAG !{number}! a\n" for number in range(1000)) + "--- []",
        "--- []\u2028%TAG !a! b\u2028--- []",
        "[" * 100_000,
        "- " * 100_000,
        "{" * 100_000,
        "[[" + "? " * 100_000,
        "- - !!python/object/apply:os.system ['true']\n  - /x\n",
    ],
)
def test_hostile_yaml_is_refused_at_once(sent):
    with pytest.raises(ValueError, match=r"^Changes "):
        read_changes(sent)


@pytest.mark.parametrize(
    "sent", ["A " + "é" * (MAX_BYTES // 2), [["A", "x" * (MAX_BYTES // 2)]] * 3, " " * (MAX_BYTES + 1)]
)
def test_more_than_a_mebibyte_is_refused(sent):
    with pytest.raises(ValueError, match=r"^Changes are too long"):
        read_changes(sent)


@pytest.mark.parametrize("space", ["\x85", "\xa0", "\u2028", "\u3000"])
def test_unusual_spaces_between_code_and_path_lose_no_file(space):
    pairs = [("A", "roof.txt"), ("M", "\xa0tiles.txt")]
    assert read_changes(f"A{space}roof.txt\nM \xa0tiles.txt") == pairs
    assert read_changes([[f"A{space}roof.txt"], ["M", "\xa0tiles.txt"]]) == pairs


@settings(deadline=None)
@given(st.lists(st.tuples(CODES, YAML_PATHS)))
def test_changes_in_an_xml_response_can_be_read_back(pairs):
    assert read_changes(yaml.rows(pairs)) == pairs


@settings(deadline=None)
@given(st.lists(st.tuples(CODES, PATHS.filter(str.strip))), st.booleans())
def test_changes_in_a_json_response_can_be_read_back_as_a_list_and_as_text(pairs, ascii_only):
    rows = json.loads(json.dumps(pairs))
    assert read_changes(rows) == read_changes(json.dumps(pairs, ensure_ascii=ascii_only)) == pairs


@settings(deadline=None)
@given(st.lists(st.tuples(CODES, LINE_PATHS)), st.sampled_from(["", "- "]), st.sampled_from(["\n", "\r\n"]))
def test_lines_read_back(pairs, dash, end):
    assert read_changes(end.join(f"{dash}{code} {path}" for code, path in pairs)) == pairs


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("AMDRX-[]{}&*!|>'\"%:,#?/ \n\r\ta\\") | st.characters()))
def test_any_text_gives_storable_pairs_or_a_sentence(text):
    try:
        changes = read_changes(text)
    except ValueError as error:
        assert str(error).startswith("Changes ")  # noqa: PT017 - either outcome is right
    else:
        assert all(code in "AMD" and path.strip() and path.encode() for code, path in changes)
