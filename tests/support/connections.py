"""Callers and an application for tests of which thread answers."""

from threading import Event, Thread, get_ident

PATIENCE_SECONDS = 30


class Caller:
    """Stands for a caller, whose thread comes with a request; knows which thread answered."""

    def __init__(self, path, **headers):
        self.environment = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": "", **headers}
        self.answered, self.status, self.by = Event(), 0, 0
        self.thread = None

    def response_bytes(self, status, _headers, _body):
        self.status, self.by = status, get_ident()
        self.answered.set()

    def ask(self, instance):
        self.thread = Thread(target=instance, args=(self, self.environment), daemon=True)
        self.thread.start()
        return self

    def has_answer(self, seconds=PATIENCE_SECONDS):
        return self.answered.wait(seconds)


class Doors:
    """An application: addresses that begin with /door wait until theirs is opened."""

    def __init__(self):
        self.entered, self.open, self.pieces = Event(), Event(), []

    def __call__(self, environment, _start_response):
        if environment["PATH_INFO"].startswith("/door"):
            self.entered.set()
            assert self.open.wait(PATIENCE_SECONDS)
        if environment["PATH_INFO"] == "/broken":
            raise ValueError
        return iter([b"a"]) if environment["PATH_INFO"] == "/stream" else [b"a"]
