"""Markdown written by buttons and keys, and undone by the browser."""

import pytest


@pytest.fixture
def area(opened, ada, tickets):
    return opened(ada, f"{tickets}/new").get_by_label("Description")


def typed(area, text, *keys):
    """Enter a text, press keys, and return what the field says."""
    area.fill(text)
    for key in keys:
        area.press(key)
    return area.input_value()


def selected(area):
    return area.evaluate("(found) => found.value.slice(found.selectionStart, found.selectionEnd)")


def test_keys_mark_the_selection_and_take_the_mark_off(area):
    for key, mark in (("b", "**"), ("i", "_"), ("e", "`")):
        assert typed(area, "wet", "Control+a", f"Control+{key}") == f"{mark}wet{mark}"
        assert selected(area) == "wet"
        area.press(f"Control+{key}")
        assert area.input_value() == "wet"
    assert typed(area, "a\nb", "Control+a", "Control+e") == "```\na\nb\n```"
    assert typed(area, "wet", "Control+a", "Control+Shift+k") == "[wet](url)"
    assert selected(area) == "url"


def test_buttons_begin_the_lines_of_the_selection_and_the_browser_undoes_it(area):
    for name, start in (("Quotation", "> "), ("List", "- "), ("Task list", "- [ ] ")):
        assert typed(area, "a\nb", "Control+a") == "a\nb"
        button = area.page.get_by_role("button", name=name, exact=True)
        button.click()
        assert area.input_value() == f"{start}a\n{start}b"
        button.click()
        assert area.input_value() == "a\nb"
        for _ in range(2):
            area.press("Control+z")
        assert area.input_value() == "a\nb"
        area.press("Control+z")
        assert area.input_value() != "a\nb"


def test_enter_goes_on_with_a_list_and_ends_it_in_an_empty_item(area):
    for first, second in (("- a", "- "), ("9. a", "10. "), ("  - [x] a", "  - [ ] "), ("> a", "> ")):
        assert typed(area, first, "Enter") == f"{first}\n{second}"
        assert typed(area, first, "Enter", "Enter") == f"{first}\n"
    assert typed(area, "```\n- a", "Enter") == "```\n- a\n"


def test_the_toolbar_is_one_stop_of_the_tab_key_and_arrows_move_in_it(area):
    page = area.page
    area.focus()
    page.keyboard.press("Tab")
    for key, name in (("End", "Preview"), ("ArrowRight", "Bold"), ("ArrowLeft", "Preview"), ("Home", "Bold")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.innerText") == name
    page.keyboard.press("Shift+Tab")
    assert area.evaluate("(found) => found === document.activeElement")


PASTE = """(area, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const how = { clipboardData: data, bubbles: true, cancelable: true };
  return area.dispatchEvent(new ClipboardEvent("paste", how));
}"""


def test_an_address_pasted_over_words_makes_a_link_of_them(area):
    typed(area, "the plan", "Control+a")
    assert not area.evaluate(PASTE, "https://tracker.example/plan")
    assert area.input_value() == "[the plan](https://tracker.example/plan)"
    assert area.evaluate(PASTE, "https://tracker.example/plan")
