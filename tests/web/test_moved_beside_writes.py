"""Comments on a ticket that is being moved: each is stored or refused, none is lost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.web.test_bulk_edit import edit

pytestmark = pytest.mark.matrix("both")


def test_comments_beside_moves_are_kept_or_redirected(ada, ben, roof, harbour):
    ada.post(f"/projects/{roof}/tickets", {"ticket": {"title": "Leak", "body": "Since May"}})
    path = f"/projects/{roof}/tickets/1"

    def comment(number):
        answer = ben.put(path, {"ticket": {"body": f"Drop {number}"}})
        return f"Drop {number}", answer.status

    def move(_):
        for project, target in ((roof, harbour), (harbour, roof)):
            edit(ada, project, "Leak", f"project:{target}")

    with ThreadPoolExecutor(3) as pool:
        moves = pool.submit(list, map(move, range(3)))
        answers = list(pool.map(comment, range(20)))
        moves.result()
    (ticket,) = ada.get(f"/projects/{roof}/tickets").items
    versions = ada.get(f"/projects/{roof}/tickets/{ticket['number']}").item["versions"]
    kept = sorted(each["body"] for each in versions if each["body"].startswith("Drop"))
    assert {status for _, status in answers} <= {200, 308}
    assert kept == sorted(text for text, status in answers if status == 200)
    assert ada.get(f"/projects/{harbour}/tickets").items == []
