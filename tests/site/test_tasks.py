"""Tasks on pages, without scripts: boxes for everybody, and buttons for those who may edit the text."""

import re

import pytest

TASKS = "- [ ] find <it>\n- [x] buy"
BUTTON = r'<button class="task" form="([^"]+)" name="(\w+)" value="(\d)" role="checkbox" aria-checked="(\w+)"'


@pytest.fixture
def places(ada, roof):
    """The pages of a ticket with a comment and of a message with a comment, all with tasks."""
    at = f"/projects/{roof}"
    ada.post(f"{at}/tickets", {"ticket": {"title": "Leak", "body": TASKS}})
    ada.put(f"{at}/tickets/1", {"ticket": {"body": TASKS}})
    message = ada.post(f"{at}/messages", {"message": {"title": "News", "body": TASKS}}).item["id"]
    ada.post(f"{at}/messages/{message}/comments", {"comment": {"body": TASKS}})
    return [f"{at}/tickets/1", f"{at}/messages/{message}"]


def pressed(web, page, form, **values):
    """Press a box whose form has an id, which names the version or message of the text."""
    address, number = page.path.partition("?")[0], form[len("tick-v") :]
    place = f"{address}/versions" if form.startswith("tick-v") else address.rpartition("/")[0]
    return web.submit(page, f"{place}/{number}", "put", **values)


@pytest.mark.parametrize("which", range(4))
def test_a_task_box_works_without_scripts(surfing, ada, ben, places, which):
    web, address = surfing(ben), places[which // 2]
    page = web.get(address)
    found = re.findall(BUTTON, page.source)
    assert [each[1:] for each in found] == [("tick", "1", "false"), ("untick", "2", "true")] * 2
    assert 'aria-label="find &lt;it&gt;"' in page.source
    form = found[2 * (which % 2)][0]
    after = pressed(web, page, form, tick=1)
    done = [each[3] for each in re.findall(BUTTON, after.source) if each[0] == form]
    assert (after.status, done) == (200, ["true", "true"])
    assert len(re.findall('aria-checked="true"', after.source)) == 3


@pytest.mark.parametrize("which", range(2))
def test_a_text_that_changed_since_it_was_seen_is_not_ticked(surfing, ada, ben, places, which):
    web, address = surfing(ben), places[which]
    page = web.get(address)
    form = re.findall(BUTTON, page.source)[0][0]
    if which:
        ada.put(address, {"message": {"body": f"- [ ] new\n{TASKS}"}})
    else:
        ada.put(f"{address}/versions/1", {"version": {"body": f"- [ ] new\n{TASKS}"}})
    after = pressed(web, page, form, tick=1)
    assert (after.status, "This could not be saved" in after.text) == (412, True)
    assert ada.get(address).item["body"] == f"- [ ] new\n{TASKS}"


def test_others_see_boxes_that_they_cannot_press(surfing, ada, cy, harbour):
    address = f"/projects/{harbour}/tickets"
    ada.post(address, {"ticket": {"title": "Flood", "body": TASKS}})
    cy.put(f"{address}/1", {"ticket": {"body": TASKS}})
    for who, buttons, boxes in ((cy, 2, 2), (None, 0, 4), (ada, 4, 0)):
        source = surfing(who).get(f"{address}/1").source
        assert len(re.findall(BUTTON, source)) == buttons
        assert len(re.findall(r'<input type="checkbox" [^>]* disabled="">', source)) == boxes
