"""The workflows and templates of the forge, and the hooks of commits: what they name is there."""

import re
from itertools import product
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
PATHS = re.compile(r"(?<![\w./-])((?:deploy|docs|tests|tools|requirements)/[\w./-]+)")
FORMS = [ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml" for name in ("bug", "idea")]

every_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)


def jobs(file):
    return yaml.safe_load(file.read_text())["jobs"].values()


def steps(file):
    return [step for job in jobs(file) for step in job.get("steps", ())]


@every_workflow
def test_a_workflow_names_tasks_and_files_that_are_there(file):
    tasks = [task for step in steps(file) for task in re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))]
    assert tasks
    assert set(tasks) <= TARGETS
    for path in PATHS.findall(file.read_text()):
        assert (ROOT / path.rstrip("/")).exists(), path


@every_workflow
def test_a_workflow_may_do_little_and_names_its_actions_by_commit(file):
    assert yaml.safe_load(file.read_text())["permissions"] in ({}, {"contents": "read"})
    uses = [step["uses"] for step in steps(file) if "uses" in step]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each) for each in uses)
    for step in steps(file):
        assert "actions/checkout@" not in step.get("uses", "") or not step["with"]["persist-credentials"]
        # What others choose, such as the name of a branch, reaches a shell only as a variable.
        assert "${{" not in step.get("run", "")
    assert all("timeout-minutes" in job for job in jobs(file) if "steps" in job)


def test_the_workflow_fails_if_the_advisory_database_does_not_answer():
    # A machine without network only says that it skipped the audit.
    audits = [
        step["run"] for file in WORKFLOWS for step in steps(file) if "make audit" in step.get("run", "")
    ]
    assert audits == ["make audit AUDIT_ARGS=--required"]


def test_the_tests_run_with_every_version_that_is_supported():
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["tests"]
    # tools/venv.sh takes the newest one that it finds.
    assert job["env"]["PYTHON"] == "python${{ matrix.python }}"
    matrix = job["strategy"]["matrix"]
    run = product(matrix["python"], matrix["postgresql"])
    declared = re.findall(r'Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text())
    promised = (ROOT / "docs" / "versions.md").read_text()
    assert set(run) == set(product(declared, ("15", "16", "17", "18")))
    assert f"| Python | {declared[0]} to {declared[-1]} |" in promised
    assert "| PostgreSQL | 15 to 18 |" in promised


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_a_form_for_issues_asks_for_what_is_needed(file):
    form = yaml.safe_load(file.read_text())
    assert all(form[key] for key in ("name", "description", "labels"))
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)
    assert len({field["id"] for field in asked}) == len(asked)


def test_the_hooks_of_commits_run_tasks_that_are_there():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    assert {hook["entry"].removeprefix("make ") for hook in repository["hooks"]} <= TARGETS


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/versions.md"])
def test_a_page_names_tasks_that_are_there(name):
    tasks = re.findall(r"(?:^    |`)make ([a-z-]+)", (ROOT / name).read_text(), re.MULTILINE)
    assert set(tasks) <= TARGETS
