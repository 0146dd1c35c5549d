"""The page of a person."""

from skerry.store.people import people


def test_a_person_is_shown_with_the_projects_shared_with_the_reader(surfing, world, ada, ben, roof, harbour):
    dee = world.person("dee", "member")
    ben.put("/profile", {"user": {"job": "Tiler", "website": "https://ben.example/"}})
    for project, title in ((roof, "Leak"), (harbour, "Rope")):
        ticket = {"title": title, "assigned_user_id": ben.user_id}
        assert ada.post(f"/projects/{project}/tickets", {"ticket": ticket}).status == 201
    page = surfing(dee).get(f"/users/{ben.user_id}")
    assert page.status == 200
    assert "Tiler" in page.text
    assert '<a href="https://ben.example/" rel="nofollow noopener">' in page.source
    assert f"/projects/{harbour}/tickets/1" in page.links
    assert f"/projects/{roof}/tickets/1" not in page.links
    assert f"/projects/{harbour}" in page.links
    assert f"/projects/{roof}" not in page.links
    assert "Leak" not in page.text
    assert ben.email not in page.text


def test_the_tickets_that_he_opened_are_listed(surfing, ada, ben, harbour):
    for title in ("Rope", "Winch"):
        ben.post(f"/projects/{harbour}/tickets", {"ticket": {"title": title}})
    page = surfing(ada).get(f"/users/{ben.user_id}")
    assert page.links.count(f"/projects/{harbour}/tickets/1") == 1
    assert "Rope" in page.text
    assert "Winch" in page.text


def test_memberships_are_shown_to_oneself_and_administrators(surfing, world, ada, ben, roof):
    dee = world.person("dee", "member")
    said = "member of the account"
    pages = [surfing(client).get(f"/users/{ben.user_id}") for client in (ada, ben, dee)]
    assert [said in page.text for page in pages] == [True, True, False]


def test_only_ones_own_page_links_to_the_profile(surfing, ada, ben):
    links = [surfing(ben).get(f"/users/{client.user_id}").links.count("/profile") for client in (ada, ben)]
    assert links[1] == links[0] + 1


def test_strangers_and_visitors_see_nobody(surfing, cy, ben):
    assert surfing(cy).get(f"/users/{ben.user_id}").status == 404
    assert surfing(cy).get(f"/users/{cy.user_id}").status == 200
    assert surfing().get(f"/users/{ben.user_id}").path.startswith("/sign-in")


def test_no_name_leads_strangers_to_somebody_whom_they_do_not_see(surfing, world, ben, cy, harbour):
    project = f"/projects/{harbour}"
    for client in (ben, cy):
        client.post(f"{project}/tickets", {"ticket": {"title": "Rope"}})
    browser = surfing(cy)
    for path in (project, f"{project}/tickets/1", f"{project}/activity"):
        page = browser.get(path)
        assert (page.status, "Ben" in page.text) == (200, True)
        assert f"/users/{ben.user_id}" not in page.links
    assert f"/users/{cy.user_id}" in browser.get(f"{project}/tickets/2").links
    for reader in (None, ben):
        assert f"/users/{ben.user_id}" in surfing(reader).get(f"{project}/tickets/1").links
    world.join(harbour, cy)
    assert f"/users/{ben.user_id}" in browser.get(f"{project}/tickets/1").links


def test_the_name_of_who_left_leads_to_what_they_opened(surfing, world, ada, ben, roof):
    number = ben.post(f"/projects/{roof}/tickets", {"ticket": {"title": "It leaks"}}).item["number"]
    with world.write() as transaction:
        people.leave_account(transaction, ben.user_id)
    browser = surfing(ada)
    assert f"/users/{ben.user_id}" in browser.get(f"/projects/{roof}/tickets/{number}").links
    assert f"/projects/{roof}/tickets/{number}" in browser.get(f"/users/{ben.user_id}").links
