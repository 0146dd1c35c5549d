"""Pushes as forges send them, signed as each of them signs."""

import hmac
import json
from pathlib import Path
from urllib.parse import urlencode

from tests.support.client import FORM, JSON

FIRST, SECOND = "a" * 40, "b" * 40

SAMPLES = Path(__file__).parent / "pushes_data"
"""A push of each forge, in the shape that its documentation describes."""

PUSH = {"github": "push", "gitlab": "Push Hook", "forgejo": "push", "gitea": "push"}


def sample(kind, email, number):
    """Return the sample of a forge, with the address of its first committer and the number of a ticket."""
    text = (SAMPLES / f"{kind}.json").read_text(encoding="utf-8")
    return json.loads(text.replace("ben@roofers.example", email).replace("#9", f"#{number}"))


def hook(client, project_id, kind):
    """Add a forge and return it with its secret."""
    answer = client.post(f"/projects/{project_id}/forges", {"forge": {"kind": kind, "note": "tiles"}})
    assert answer.status == 201, answer.body
    return answer.item


def push(*, message="Seal the stairs", **values):
    """Return a push of one commit, in the shape that all forges have in common."""
    commits = [{"id": FIRST, "message": message, "author": {"name": "Dora", "email": "dora@x.example"}}]
    after = {"ref": "refs/heads/main", "before": "c" * 40, "after": FIRST, "commits": commits}
    return {"object_kind": "push", **after, **values}


def signed(kind, secret, raw, event=""):
    """Return the headers with which a forge sends a body."""
    signature = hmac.digest(secret.encode(), raw, "sha256").hex()
    event = event or PUSH[kind]
    return {
        "github": {"X-GitHub-Event": event, "X-Hub-Signature-256": f"sha256={signature}"},
        "gitlab": {"X-Gitlab-Event": event, "X-Gitlab-Token": secret},
        "forgejo": {"X-Forgejo-Event": event, "X-Forgejo-Signature": signature},
        "gitea": {"X-Gitea-Event": event, "X-Gitea-Signature": signature},
    }[kind]


def pushed(client, forge, body, *, event="", as_form=False):
    """Send a body as a forge does, without any token; ``client`` only says where and in which format."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    if as_form:
        raw = urlencode({"payload": raw}).encode()
    stranger = type(client)(client.application, client.host, client.format, log=client.log)
    path = f"/projects/{forge['project_id']}/pushes/{forge['kind']}"
    headers = signed(forge["kind"], forge["secret"], raw, event)
    return stranger.send("POST", path, raw=raw, kind=FORM if as_form else JSON, **headers)
