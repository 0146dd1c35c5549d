"""E-mail addresses: the stored form, and sentences for invalid ones."""

import pytest

from skerry.text.addresses import BadAddress, forms, normal


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Ada@Example.ORG", "ada@example.org"),
        (" \u200bada@example.org\ufeff\n", "ada@example.org"),
        ("o'neil+roof@mail.example.org", "o'neil+roof@mail.example.org"),
        ("admin@localhost", "admin@localhost"),
        ("ada@my_host.example", "ada@my_host.example"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ("ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"),
    ],
)
def test_an_address_has_one_form(text, address):
    assert normal(text) == address
    assert address in forms(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jörg@tracker.test", "only ASCII"),
        ("new\u200b@tracker.test", r"invisible character \(U\+200B\)"),
        ("a\xadda@tracker.test", r"U\+00AD"),
        ("ada@tracker\u200d.test", r"U\+200D"),
        ("a\x00da@tracker.test", r"U\+0000"),
        ("dot.@tracker.test", "dots"),
        (".dot@tracker.test", "dots"),
        ("two..dots@tracker.test", "dots"),
        *(
            (text, "such as ada@example")
            for text in ("", "@", "ada", "ada@", "@b.test", "a@b@c", "a b@c.test")
        ),
        *(
            (f"ada@{domain}", "such as")
            for domain in ("b..test", ".b.test", "b.test.", "-b.test", "[127.0.0.1]")
        ),
        ("ada@ü..test", "such as"),
        ("a:b@c.test", "such as"),
        ('"ada"@c.test', "such as"),
        (f"{'a' * 65}@c.test", "such as"),
        (f"ada@{'a' * 64}.test", "such as"),
        (f"ada@{'a.' * 130}test", "such as"),
    ],
)
def test_an_address_that_cannot_be_mailed_is_refused(text, sentence):
    with pytest.raises(BadAddress, match=sentence):
        normal(text)


def test_an_older_address_is_looked_up_as_it_was_typed():
    assert list(forms("Jörg@tracker.test")) == ["jörg@tracker.test"]
    assert list(forms("ada@tracker.test")) == ["ada@tracker.test"]
    assert list(forms("ada@bücher.test")) == ["ada@bücher.test", "ada@xn--bcher-kva.test"]
