"""A server that has the original's interface and nothing else."""

import json
import re
from http.server import BaseHTTPRequestHandler

TICKET = {
    "number": 12,
    "title": "It leaks",
    "state": "new",
    "body": "Rain",
    "tag": None,
    "assigned_user_id": 7,
}
LISTS = {
    "projects": ("project", [{"id": 3, "name": "Roof", "open_tickets_count": 1}]),
    "projects/3/tickets": ("ticket", [TICKET]),
    "projects/3/bins": ("ticket_bin", [{"id": 5, "name": "Wet", "query": "tagged:rain"}]),
    "projects/3/milestones": ("milestone", [{"id": 4, "title": "Dry"}]),
    "projects/3/memberships": ("membership", [{"id": 9, "user_id": 7, "user": {"id": 7, "name": "Ben Roe"}}]),
}


class Original(BaseHTTPRequestHandler):
    """Knows the paths of the original, and needs its Content-Type and its token."""

    def do_GET(self):
        path = re.sub(r"\.json(\?.*)?$", "", self.path).strip("/")
        if path in LISTS:
            kind, items = LISTS[path]
            self.give(200, {f"{kind}s": [{kind: item} for item in items]})
        elif path == "profile":
            self.give(200, {"user": {"id": 7, "name": "Ben Roe"}})
        elif path == "projects/3/tickets/12":
            versions = [{"version": {**TICKET, "user_id": 7}}, {"version": {"body": "Sealed", "user_id": 7}}]
            self.give(200, {"ticket": {**TICKET, "versions": versions}})
        else:
            self.give(404, None)

    def do_POST(self):
        self.server.sent.append((self.path, self.taken()))
        known = self.path == "/projects/3/tickets.json"
        self.give(*((201, {"ticket": TICKET}) if known else (404, None)))

    def do_PUT(self):
        self.server.sent.append((self.path, self.taken()))
        self.give(200, None)

    def taken(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def give(self, status, body):
        if self.headers["Content-Type"] != "application/json" or self.headers["X-ServiceToken"] != "T":
            status, body = 500, None
        content = b" " if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if body is None else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_words):
        pass
