"""Who may do what with projects, tickets and versions: the whole table, over HTTP.

Ada administers the account, Ben is a member of it and of the projects, Dan only of the account,
Eve only of the projects, Cy is known to the account but belongs to nothing, nobody is nobody.
"""

import pytest

WHO = ("ada", "ben", "eve", "dan", "cy", "nobody")


@pytest.fixture
def everybody(world):
    world.person("dan", "member")
    world.person("eve")
    return [world.people[name] for name in WHO]


def project(world, **settings):
    """Make a project with a ticket, a comment of Ada's and one of Cy's if he may comment."""
    ada = world.people["ada"]
    made = ada.post("/projects", {"project": {"name": "P", **settings}}).item["id"]
    for name in ("ben", "eve"):
        world.join(made, world.people[name])
    tickets = f"/projects/{made}/tickets"
    ada.post(tickets, {"ticket": {"title": "Leak", "body": "It drips"}})
    ada.post(f"{tickets}/1/versions", {"version": {"body": "Hers"}})
    return f"/projects/{made}"


def statuses(people, act):
    return [act(client).status for client in people]


def body(root, **fields):
    return {root: fields}


#                                                          ada  ben  eve  dan  cy   nobody
SEE = {"private": [200, 200, 200, 404, 404, 401], "public": [200, 200, 200, 200, 200, 200]}
MAKE = {"private": [201, 201, 201, 404, 404, 401], "public": [201, 201, 201, 201, 201, 401]}
SPEAK = {"private": [200, 200, 200, 404, 404, 401], "public": [200, 200, 200, 200, 200, 401]}
WORK = {"private": [200, 200, 200, 404, 404, 401], "public": [200, 200, 200, 403, 403, 401]}
FORM = {"private": [200, 200, 200, 404, 404, 401], "public": [200, 200, 200, 200, 200, 401]}

DEEDS = {
    "see the project": (SEE, lambda client, path: client.get(path)),
    "list tickets": (SEE, lambda client, path: client.get(f"{path}/tickets")),
    "see a ticket": (SEE, lambda client, path: client.get(f"{path}/tickets/1")),
    "list versions": (SEE, lambda client, path: client.get(f"{path}/tickets/1/versions")),
    "see a version": (SEE, lambda client, path: client.get(f"{path}/tickets/1/versions/2")),
    "see the form of a ticket": (FORM, lambda client, path: client.get(f"{path}/tickets/new")),
    "open a ticket": (
        MAKE,
        lambda client, path: client.post(f"{path}/tickets", body("ticket", title="T", body="B", tag="a b")),
    ),
    "comment": (
        MAKE,
        lambda client, path: client.post(f"{path}/tickets/1/versions", body("version", body="C")),
    ),
    "comment by an update": (
        SPEAK,
        lambda client, path: client.put(f"{path}/tickets/1", body("ticket", body="C")),
    ),
    "rename the project": (WORK, lambda client, path: client.put(path, body("project", name="Q"))),
    "retitle a ticket": (
        WORK,
        lambda client, path: client.put(f"{path}/tickets/1", body("ticket", title=client.email)),
    ),
    "close a ticket": (
        WORK,
        lambda client, path: [
            client.put(f"{path}/tickets/1", body("ticket", state="hold")),
            client.put(f"{path}/tickets/1", body("ticket", state="new")),
        ][0],
    ),
    "edit another's comment": (
        WORK,
        lambda client, path: client.put(f"{path}/tickets/1/versions/2", body("version", body="E")),
    ),
}


@pytest.mark.parametrize("kind", ["private", "public"])
@pytest.mark.parametrize("deed", DEEDS)
def test_each_action_needs_the_right_permission(world, everybody, deed, kind):
    expected, act = DEEDS[deed]
    path = project(world, public=kind == "public")
    assert statuses(everybody, lambda client: act(client, path)) == expected[kind]


# What the routes answer on both is in test_matrix.py; here, what is left, too.
@pytest.mark.matrix("both")
@pytest.mark.parametrize("kind", ["private", "public"])
@pytest.mark.parametrize("what", ["/tickets/1/versions/2", "/tickets/1", ""])
def test_deleting_needs_the_right_permission(world, everybody, what, kind):
    found = []
    for client in everybody:
        path = project(world, public=kind == "public")
        found.append(client.delete(f"{path}{what}").status)
        left = world.people["ada"].get(f"{path}{what}")
        # Of a comment only the text is deleted.
        is_there = left.status == 200 and not left.item.get("body_deleted_by")
        assert is_there == (found[-1] != 200)
    assert found == WORK[kind]


def test_only_members_of_the_account_make_projects(world, everybody):
    made = statuses(everybody, lambda client: client.post("/projects", body("project", name="N")))
    assert made == [201, 201, 403, 201, 403, 401]
    assert statuses(everybody, lambda client: client.get("/projects/new")) == [200, 200, 403, 200, 403, 401]


@pytest.mark.matrix("both")
def test_everybody_lists_the_projects_and_tickets_that_he_sees(world, everybody):
    private, public = project(world, name="Private"), project(world, name="Public", public=True)
    for client in everybody:
        for path in (private, public):
            listed = {f"/projects/{item['id']}" for item in client.get("/projects").items}
            found = {f"/projects/{item['project_id']}" for item in client.get("/tickets").items}
            seen = client.get(path).status == 200
            assert (path in listed, path in found) == (seen, seen)


def test_an_outsider_gets_an_empty_list_and_an_anonymous_caller_401(cy, nobody, roof):
    assert (cy.get("/projects").items, cy.get("/tickets").items) == ([], [])
    assert (nobody.get("/projects").status, nobody.get("/tickets").status) == (401, 401)


@pytest.mark.parametrize("kind", ["private", "public"])
@pytest.mark.parametrize("deed", DEEDS)
def test_an_archived_project_is_read_as_ever_and_written_by_nobody(world, everybody, deed, kind):
    expected, act = DEEDS[deed]
    path = project(world, public=kind == "public")
    world.people["ada"].put(path, body("project", archived=True))
    if expected is not SEE:
        expected = {kind: [status if status in (401, 404) else 403 for status in expected[kind]]}
    assert statuses(everybody, lambda client: act(client, path)) == expected[kind]


@pytest.mark.parametrize("what", ["/tickets/1/versions/2", "/tickets/1"])
def test_nothing_of_an_archived_project_can_be_deleted(world, everybody, what):
    path = project(world)
    world.people["ada"].put(path, body("project", archived=True))
    assert statuses(everybody, lambda client: client.delete(f"{path}{what}")) == [
        403,
        403,
        403,
        404,
        404,
        401,
    ]


def test_members_revive_an_archived_project(world, everybody):
    path = project(world, public=True)
    for client, status in zip(everybody, WORK["public"], strict=True):
        world.people["ada"].put(path, body("project", archived=True))
        assert client.put(path, body("project", archived=False)).status == status


@pytest.mark.parametrize(
    "fields",
    [{"state": "open"}, {"assigned_user_id": "self"}, {"importance": 3}, {"title": "T", "state": "resolved"}],
)
def test_strangers_may_set_only_title_body_and_tags_of_a_new_ticket(ada, cy, harbour, fields):
    fields = {name: cy.user_id if value == "self" else value for name, value in fields.items()}
    answer = cy.post(f"/projects/{harbour}/tickets", body("ticket", **{"title": "T", **fields}))
    assert (answer.status, len(answer.errors)) == (403, 1)
    assert ada.get(f"/projects/{harbour}/tickets").items == []


def test_strangers_may_repeat_the_defaults_of_a_new_ticket(cy, harbour):
    blank = cy.get(f"/projects/{harbour}/tickets/new").item
    answer = cy.post(f"/projects/{harbour}/tickets", body("ticket", **{**blank, "title": "T"}))
    assert answer.status == 201


@pytest.mark.parametrize(
    "fields",
    [{"title": "X"}, {"tag": "x"}, {"state": "hold"}, {"importance": 1}, {"body": "And", "tag": "x"}],
)
def test_strangers_may_only_comment_on_a_ticket_even_their_own(ada, cy, harbour, fields):
    cy.post(f"/projects/{harbour}/tickets", body("ticket", title="T"))
    answer = cy.put(f"/projects/{harbour}/tickets/1", body("ticket", **fields))
    said = "Only members of the project may change a ticket; others may comment on it"
    assert (answer.status, answer.errors) == (403, [said])
    assert ada.get(f"/projects/{harbour}/tickets/1").item["version"] == 1


def test_hidden_and_missing_resources_look_the_same(cy, nobody, roof):
    for path in ("", "/tickets", "/tickets/1", "/tickets/new", "/tickets/1/versions/1"):
        hidden, missing = cy.get(f"/projects/{roof}{path}"), cy.get(f"/projects/999{path}")
        assert (hidden.status, hidden.body) == (missing.status, missing.body)
        hidden, missing = nobody.get(f"/projects/{roof}{path}"), nobody.get(f"/projects/999{path}")
        assert (hidden.status, hidden.body) == (missing.status, missing.body)


def test_making_a_project_private_shuts_strangers_out_at_once(ada, cy, harbour):
    assert cy.get(f"/projects/{harbour}").status == 200
    ada.put(f"/projects/{harbour}", body("project", public=False))
    assert cy.get(f"/projects/{harbour}").status == 404
