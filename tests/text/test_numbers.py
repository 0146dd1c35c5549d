"""Numbers and plurals in sentences."""

import pytest

from skerry.text.numbers import counted
from skerry.transfer.importing import report as say
from skerry.wire import documents


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 things were lost"), (1, "1 thing was lost"), (12, "12 things were lost")]
)
def test_words_agree_with_their_number(number, said):
    assert counted("{n} {thing was|things were} lost", number) == said


def test_a_number_that_is_not_shown_still_chooses_the_plural():
    assert [counted("without the {key|keys}", number) for number in (1, 2)] == [
        "without the key",
        "without the keys",
    ]


def test_names_with_braces_come_out_as_they_are():
    name = "{n} {one|several} }{".replace("{", "{{").replace("}", "}}")
    assert counted(f"{name}: {{n}} {{file|files}}", 2) == "{n} {one|several} }{: 2 files"


def test_sentences_of_an_import_distinguish_one_and_several():
    known = [value for module in (say, documents) for value in vars(module).values()]
    told = [value for value in known if isinstance(value, str) and "{n}" in value]
    assert len(told) > 20
    for sentence in told:
        one, several = counted(sentence, 1), counted(sentence, 2)
        assert one != several.replace("2", "1", 1)
