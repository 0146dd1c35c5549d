"""Metrics in the Prometheus format."""

import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from skerry import app
from skerry.settings import Settings
from skerry.web.log import Log
from skerry.web.metrics import BOUNDS, Metrics, MetricsFiles
from tests.conftest import build_world
from tests.support.client import call

LIST = 'skerry_requests_total{method="GET",route="/projects",status="200"}'


@pytest.fixture
def guarded(data):
    """An instance whose figures need a token."""
    settings = Settings(data=data, metrics_token="tell me", durability="normal")
    with app.build(settings, Log(stream=io.StringIO())) as instance:
        yield instance


def figures(instance, **headers):
    answer = call(instance.application, "GET", "/metrics", headers=headers)
    assert answer.status == 200
    return {
        name: float(value)
        for name, value in re.findall(r"^(?!#)(.+) (\S+)$", answer.body.decode(), re.MULTILINE)
    }


def test_requests_are_counted_by_address_and_status(world, ada, roof):
    before = figures(world.instance).get(LIST, 0)
    for _ in range(3):
        ada.get("/projects")
    ada.get("/projects/987654321")
    ada.get("/nowhere/at/all")
    now = figures(world.instance)
    assert now[LIST] == before + 3
    assert now['skerry_requests_total{method="GET",route="/projects/{project_id}",status="404"}'] >= 1
    assert now['skerry_requests_total{method="GET",route="other",status="404"}'] >= 1
    assert not [name for name in now if "987654321" in name or "nowhere" in name]


def test_unknown_methods_do_not_create_metrics(world):
    call(world.instance.application, "BREW", "/projects.json", headers={"Host": world.host})
    names = figures(world.instance)
    assert any('method="other"' in name for name in names)
    assert not [name for name in names if "BREW" in name]


def test_the_histogram_holds_every_request_once(world, ada):
    ada.get("/projects")
    now = figures(world.instance)
    steps = [
        now[f'skerry_request_seconds_bucket{{le="{end}",method="GET",route="/projects"}}']
        for end in (*BOUNDS, "+Inf")
    ]
    assert steps == sorted(steps)
    assert steps[-1] == now['skerry_request_seconds_count{method="GET",route="/projects"}']
    assert now['skerry_request_seconds_sum{method="GET",route="/projects"}'] > 0


def test_the_time_of_the_database_is_counted_for_reads_and_writes(world, ada):
    before = figures(world.instance)
    ada.post("/projects", {"project": {"name": "Roof"}})
    now = figures(world.instance)
    for kind in ("read", "write"):
        for what in ("transactions", "seconds"):
            name = f'skerry_database_{what}_total{{kind="{kind}"}}'
            assert now[name] > before[name]


def test_the_process_and_its_pool_are_described(world, ada):
    ada.get("/projects")
    now = figures(world.instance)
    assert now["skerry_requests_in_progress"] == 1  # the one that asks
    assert now["skerry_requests_waiting"] == 0
    assert now["skerry_database_connections_in_use"] == 0
    assert now["skerry_workers"] == 1
    assert now["skerry_resident_memory_bytes"] > 1e6
    assert now["skerry_open_files"] > 3
    assert now["skerry_cpu_seconds_total"] > 0


@pytest.mark.parametrize(
    ("address", "header"),
    [("10.0.0.9", None), ("127.0.0.1", "X-Forwarded-For"), ("127.0.0.1", "Forwarded"), ("odd", None)],
)
def test_without_a_token_only_the_machine_itself_may_know(world, address, header):
    headers = {header: "127.0.0.1"} if header else {}
    answer = call(world.instance.application, "GET", "/metrics", headers=headers, address=address)
    assert answer.status == 404
    assert b"skerry_" not in answer.body


def test_with_a_token_it_is_needed_from_everywhere(guarded):
    assert figures(guarded, Authorization="Bearer tell me")["skerry_workers"] == 1
    for sent in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic tell me"}):
        assert call(guarded.application, "GET", "/metrics", headers=sent).status == 404


def test_metrics_of_other_workers_are_added(tmp_path, guarded):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for process, count in ((os.getppid(), 5), (ended.pid, 7)):
        other = Metrics()
        for _ in range(count):
            other.request("GET", "/projects", "200", 0.002)
        written = {**other.snapshot(), "process": process}
        MetricsFiles(tmp_path).write(lambda written=written: written)
    now = figures(guarded, Authorization="Bearer tell me")
    assert now[LIST] == 12
    assert now["skerry_workers"] == 2  # the one that has ended works no more


def test_figures_that_several_write_at_once_can_be_read_at_any_moment(tmp_path):
    shared, metrics, sizes = MetricsFiles(tmp_path), Metrics(), (1, 100, 500)
    shown = [{**metrics.snapshot(), "process": os.getppid(), "requests": ["x"] * size} for size in sizes]
    shared.write(lambda: shown[0])
    with ThreadPoolExecutor(len(sizes)) as pool:
        writers = [
            pool.submit(lambda each: [shared.write(lambda: each) for _ in range(60)], each) for each in shown
        ]
        while not all(writer.done() for writer in writers):
            assert len(shared.others()) == 1


def test_older_metrics_never_replace_newer_ones(tmp_path):
    taken, shown = Event(), Event()
    one = {**Metrics().snapshot(), "process": os.getppid()}

    def slowly():
        taken.set()
        shown.wait(0.2)
        return {**one, "cpu_seconds": 1}

    with ThreadPoolExecutor(1) as pool:
        pool.submit(MetricsFiles(tmp_path).write, slowly)
        assert taken.wait(30)
        assert MetricsFiles(tmp_path).write(lambda: {**one, "cpu_seconds": 2})["cpu_seconds"] == 2
        shown.set()
    assert [each["cpu_seconds"] for each in MetricsFiles(tmp_path).others()] == [2]


def test_metrics_files_that_cannot_be_read_or_written_are_left_out(tmp_path):
    shared = MetricsFiles(tmp_path)
    shared.write(Metrics().snapshot)
    (tmp_path / "metrics" / "1.json").write_text("{")
    assert shared.others() == []
    shared.clear()
    assert list((tmp_path / "metrics").iterdir()) == []
    (tmp_path / "file").touch()
    MetricsFiles(tmp_path / "file").write(Metrics().snapshot)


def test_a_snapshot_is_what_json_can_hold():
    metrics = Metrics()
    metrics.request("GET", None, "200", 99.0)
    metrics.transaction("read", 0.5)
    assert json.loads(json.dumps(metrics.snapshot())) == metrics.snapshot() | {
        "cpu_seconds": pytest.approx(metrics.snapshot()["cpu_seconds"], abs=1),
        "levels": {**metrics.snapshot()["levels"], "resident_memory_bytes": pytest.approx(0, abs=1e12)},
    }


def test_reading_them_needs_no_sign_in(guarded):
    build_world(guarded, None)
    assert figures(guarded, Authorization="bearer tell me", Host="nobody.example")
