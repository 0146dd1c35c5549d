"""How tests of searching open tickets and find them."""


def open_ticket(client, project_id, title, **values):
    ticket = {"title": title, **values}
    return client.post(f"/projects/{project_id}/tickets", {"ticket": ticket}).item["number"]


def found(client, project_id, query):
    answer = client.get(f"/projects/{project_id}/tickets?q={query}")
    assert answer.status == 200, answer.body
    return [ticket["title"] for ticket in answer.items]
