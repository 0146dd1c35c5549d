"""Every block of commands on a page is run by a test, or stands here with the reason why none can run it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^\n((?: {4,}.*\n|\n(?= {4}))+)", re.MULTILINE)
# Those of other languages are examples of the language, or files.
SHELLS = ("", "bash", "console", "sh", "shell", "sql")
# tests/docs/test_docs_settings.py reads these.
SETTING = re.compile(r"(SKERRY|AWS)_\w+=")

PACKAGES = "fetches packages; `make release` installs the wheel in a new environment and starts it"
TASKS = "takes minutes; tests/docs/test_docs_workflows.py finds the tasks, and the workflows run them"
IMAGE = "fetches the base image; .github/workflows/ci.yml builds the image and starts it"
MACHINES = "needs several machines with Citus"
NO_COMMAND = "is no command"

ALL_OF = {
    "docs/sk.md": {"$ ": "docs/test_docs_sk::test_every_example_says_what_stands_below_it"},
    "docs/tasks.md": dict.fromkeys(
        ("# for curl", "curl ", "sk "), "docs/test_docs_tasks::test_the_three_ways_of_a_task_do_the_same"
    ),
}
"""The pages of which one test runs every block that begins so."""

RUN = {
    "README.md": {
        "skerry serve": "server/test_server::test_the_first_start_prints_how_to_sign_in",
        "skerry demo": "cli/test_demonstration::test_a_demonstration_is_made_once",
        "skerry import": "docs/test_docs_commands::test_an_archive_is_imported_and_its_people",
        "sk login": "docs/test_docs_set_up::test_somebody_signs_in_and_opens_the_first_ticket",
        "export TOKEN": "docs/test_docs_readme::test_the_first_calls_are_answered",
        "skerry user add": "docs/test_docs_set_up::test_commands_beside_the_service_are_accepted",
    },
    "docs/api/events.md": {
        "curl -N": "server/test_proxies::test_a_stream_of_events_comes_through_as_it_is_written"
    },
    "docs/audit.md": {
        "MAILTO": "docs/test_docs_set_up::test_the_lines_of_cron_are_commands",
        "skerry audit": "docs/test_docs_commands::test_the_log_is_verified_and_exported",
    },
    "docs/backup.md": {
        "skerry backup /backups/": "docs/test_docs_set_up::test_a_backup_is_restored",
        "skerry backup - |": "cli/test_backup::test_an_archive_can_go_through_a_pipe",
        "skerry backup --to": "docs/test_docs_backup::test_the_commands_for_places_of_backups_work",
        "install -d": "docs/test_docs_set_up::test_the_set_up_puts_files_where_systemd_finds_them",
        "# /etc/cron.d/": "docs/test_docs_set_up::test_the_lines_of_cron_are_commands",
        "skerry restore": "docs/test_docs_backup::test_the_commands_for_places_of_backups_work",
    },
    "docs/export.md": {
        "skerry export": "docs/test_docs_commands::test_an_export_goes_to_a_file_or_elsewhere"
    },
    "docs/mail-in.md": {
        "/^(reply": "docs/test_docs_settings::test_the_map_of_postfix_in_the_documentation",
        "skerry unix": "docs/test_docs_settings::test_the_pipe_of_the_documentation_takes_the_mail",
        "curl": "docs/test_docs_set_up::test_a_message_is_sent_over_http",
    },
    "docs/moving-in.md": {
        "mkdir -p redmine": "cli/sources/test_redmine_answers::test_the_commands_fetch_everything",
        "skerry import acme": "docs/test_docs_commands::test_an_archive_is_imported_and_its_people",
        "id,email,name": "docs/test_docs_commands::test_an_archive_is_imported_and_its_people",
        "skerry user placeholders": "docs/test_docs_commands::test_an_archive_is_imported_and_its_people",
        "skerry import --from github": "cli/sources/test_moving_in::test_the_commands_work",
        "skerry import --from redmine": "cli/sources/test_moving_in::test_the_commands_work",
        "skerry import --from csv": "cli/sources/test_moving_in::test_the_commands_work",
        "skerry user add": "docs/test_docs_commands::test_people_and_tickets_are_sent_over",
        "curl": "docs/test_docs_commands::test_people_and_tickets_are_sent_over",
    },
    "docs/operate.md": {
        "python3 -m venv": "docs/test_docs_set_up::test_the_set_up_puts_files_where_systemd_finds",
        "runuser": "docs/test_docs_set_up::test_commands_beside_the_service_are_accepted",
        "skerry token add": "docs/test_docs_set_up::test_commands_beside_the_service_are_accepted",
        "skerry service-user": "docs/test_docs_set_up::test_commands_beside_the_service_are_accepted",
        "location": "docs/test_docs_set_up::test_nginx_accepts_the_blocks_below_a_path",
        "redir": "docs/test_docs_set_up::test_caddy_accepts_the_block_below_a_path",
        "createuser": "docs/test_docs_set_up::test_a_database_is_made_as_the_page_says",
        "skerry demo": "cli/test_demonstration::test_a_demonstration_is_made_once",
    },
    "docs/scale.md": {
        "-- People": "test_distribution::test_the_guide_spreads_every_table",
    },
    "docs/second-factors.md": {"skerry user reset-factors": "cli/test_factors::test_a_lost_factor_is_reset"},
    "docs/single-sign-on.md": {"skerry account": "cli/test_logins::test_the_command_line_is_the_way_back_in"},
    "docs/sk.md": {
        "sk login": "docs/test_docs_set_up::test_somebody_signs_in_and_opens_the_first_ticket",
        "eval": "docs/test_docs_set_up::test_a_shell_takes_the_completion",
    },
    "docs/performance.md": {
        "python -m bench.pages": "test_bench_programs::test_pages_are_weighed_and_worked_with_in_a_browser"
    },
    "docs/versions.md": {"ssh-keygen": "test_release::test_a_signed_release_is_verified_as_the_page_says"},
}
"""The tests below tests/ that run the blocks of a page, by how a block begins."""

NOT_RUN = {
    "README.md": {"make serve": PACKAGES, "pipx install": PACKAGES},
    "CONTRIBUTING.md": {"make serve": TASKS, "make format": TASKS, "make release": TASKS},
    "docs/api/authentication.md": {'{"errors"': NO_COMMAND},
    "docs/api/forges.md": {'{"push"': NO_COMMAND},
    "docs/hooks.md": {"POST /hook": NO_COMMAND},
    "docs/mail-in.md": {
        "virtual_mailbox_domains": "are settings of Postfix, which the tests do not install",
        "Authentication-Results": NO_COMMAND,
    },
    "docs/moving-in.md": dict.fromkeys(
        ("mkdir answers", "gh issue list"), "asks GitHub; tests/cli/sources read what it answers"
    ),
    "docs/operate.md": {
        "uv tool install": PACKAGES,
        "podman build": IMAGE,
        "echo TRACKER_HOST": f"{IMAGE}; tests/docs/test_deploy.py reads compose.yaml",
        "make faults": TASKS,
    },
    "docs/performance.md": {"make bench": "measures for minutes; tests/test_bench.py runs it for a moment"},
    "docs/scale.md": {
        "SELECT citus_set": MACHINES,
        "SELECT isolate_tenant": MACHINES,
        "citus.node_conninfo": MACHINES,
    },
    "docs/single-sign-on.md": {"- client_id": "is a part of a file of Authelia"},
    "docs/versions.md": {"gh attestation": "asks GitHub about a release that is published there"},
}
"""Why nothing runs the other blocks."""


def first_lines(page):
    """Yield the first line of each block that may hold commands."""
    text = page.read_text(encoding="utf-8")
    fenced = [block for language, block in FENCE.findall(text) if language in SHELLS]
    for block in (*fenced, *INDENTED.findall(FENCE.sub("", text))):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        if not all(SETTING.match(line) for line in lines):
            yield lines[0]


def listed(name):
    return [*RUN.get(name, {}), *ALL_OF.get(name, {}), *NOT_RUN.get(name, {})]


def test_every_block_of_commands_is_run_or_says_why_not():
    found = {str(page.relative_to(ROOT)): [*first_lines(page)] for page in PAGES}
    assert sum(map(len, found.values())) > 100
    unknown = [
        (name, line)
        for name, lines in found.items()
        for line in lines
        if not any(line.startswith(words) for words in listed(name))
    ]
    assert unknown == []
    gone = [
        (name, words)
        for name in {*RUN, *ALL_OF, *NOT_RUN}
        for words in listed(name)
        if not any(line.startswith(words) for line in found[name])
    ]
    assert gone == []


def test_the_tests_that_run_them_are_there():
    for place in {each for page in (*RUN.values(), *ALL_OF.values()) for each in page.values()}:
        file, _, name = place.partition("::")
        assert f"def {name}" in (ROOT / "tests" / f"{file}.py").read_text(), place
