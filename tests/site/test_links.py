"""Links on the page of a ticket."""


def test_links_are_added_and_removed_on_the_page_of_a_ticket(surfing, ada, tickets):
    for title in ("Roof", "Wall"):
        ada.post(tickets, {"ticket": {"title": title}})
    web, roof = surfing(ada), f"{tickets}/1"
    refused = web.submit(web.get(roof), f"{roof}/links", **{"link[kind]": "blocks", "link[ticket]": "#9"})
    assert (refused.status, "There is no ticket #9" in refused.text) == (422, True)
    page = web.submit(web.get(roof), f"{roof}/links", **{"link[kind]": "child", "link[ticket]": "#2"})
    assert (page.status, "Child #2 Wall new" in page.text, "0 of 1 done" in page.text) == (200, True, True)
    assert "Child +#2 ·" in " ".join(page.text.split())
    after = web.submit(page, f"{roof}/links/1", "delete")
    assert (after.status, "Child #2 Wall" in after.text) == (200, False)


def test_a_page_shows_no_link_to_a_ticket_that_its_reader_does_not_see(surfing, ada, ben, tickets):
    ada.post(tickets, {"ticket": {"title": "Roof"}})
    shed = ada.post("/projects", {"project": {"name": "Shed"}}).item["id"]
    ada.post(f"/projects/{shed}/tickets", {"ticket": {"title": "Quartzprivate"}})
    ada.post(f"{tickets}/1/links", {"link": {"kind": "blocks", "ticket": "shed#1"}})
    for client, shown in ((ada, True), (ben, False)):
        source = surfing(client).get(f"{tickets}/1").source
        assert ("Quartzprivate" in source, "shed#1" in source.lower()) == (shown, shown)
