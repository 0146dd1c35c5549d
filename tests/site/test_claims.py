"""Claims on the page of a ticket."""


def test_a_ticket_is_claimed_and_given_back_on_its_page(surfing, ada, ticket):
    web = surfing(ada)
    page = web.submit(web.get(ticket), f"{ticket}/claim")
    assert (page.status, "Ada ends in 1 hour" in page.text) == (200, True)
    after = web.submit(page, f"{ticket}/claim", "delete")
    assert (after.status, "Claimed by" in after.text) == (200, False)
    assert ada.get(f"{ticket}/claim").item["user_id"] is None


def test_a_member_ends_the_claim_of_a_worker_that_died(surfing, ada, ben, ticket):
    web = surfing(ada)
    form = web.get(ticket)
    ben.post(f"{ticket}/claim", {"claim": {"worker": "<b>night</b>"}})
    refused = web.submit(form, f"{ticket}/claim")
    assert (refused.status, "#1 is claimed by Ben (<b>night</b>) until" in refused.text) == (409, True)
    web.submit(refused, f"{ticket}/claim", "delete")
    assert ada.post(f"{ticket}/claim").status == 200


def test_readers_see_a_claim_but_no_form(surfing, ada, cy, ticket, roof):
    ada.put(f"/projects/{roof}", {"project": {"public": True}})
    ada.post(f"{ticket}/claim")
    source = surfing(cy).get(ticket).source
    assert ("Claimed by" in source, "/claim" in source) == (True, False)
