"""Projects over HTTP."""


def test_a_new_project_has_the_default_states_and_nothing_else(ada):
    answer = ada.post("/projects", {"project": {"name": "Roof"}})
    assert answer.status == 201
    assert answer.headers["location"] == f"http://{ada.host}/projects/{answer.item['id']}.{ada.format}"
    project = ada.get(f"/projects/{answer.item['id']}").item
    assert project == answer.item
    assert project["open_states_list"] == "new,open"
    assert project["closed_states_list"] == "resolved,hold,invalid"
    assert (project["public"], project["archived"], project["open_tickets_count"]) == (False, False, 0)
    assert project["permalink"] == "roof"


def test_open_tickets_are_counted_as_they_open_close_and_go(ada, roof):
    for title in ("One", "Two", "Three"):
        ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": title}})
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"state": "resolved"}})
    ada.delete(f"/projects/{roof}/tickets/2")
    assert ada.get(f"/projects/{roof}").item["open_tickets_count"] == 1
    ada.put(f"/projects/{roof}/tickets/1", {"ticket": {"state": "open"}})
    assert ada.get(f"/projects/{roof}").item["open_tickets_count"] == 2
