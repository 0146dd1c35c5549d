"""The same steps in several instances: all of them answer alike, and what they show fits together.

One instance uses JSON on SQLite, one XML, one JSON on PostgreSQL. The tickets are counted and searched in
plain Python, and compared with counts, lists and searches. `make fuzz` goes on for
SKERRY_FUZZ_SECONDS with steps that nobody has taken before.
"""

import os
import time
from collections import Counter
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from skerry.store.checks.recount import recount
from skerry.text.queries.query import parse
from tests.support import naive_search, stateful
from tests.support.stateful import SECOND, Servers

SECONDS = float(os.environ.get("SKERRY_FUZZ_SECONDS", "60"))
TICKETS = range(1, 5)
"""The numbers of the tickets that each project begins with; as many ids of each other kind are tried."""

CALLERS = st.sampled_from(["ada", "ada", "ben", "ben", "cy", "nobody"])
PEOPLE = st.sampled_from(["ada", "ben", "cy", None])
PROJECTS = st.sampled_from([1, 1, 1, 2])
SOME = st.integers(1, len(TICKETS) + 1)
TEXTS = st.sampled_from(["", "rain", "Leak in the roof", "two words", "café 東京"])
TITLES = st.sampled_from(["Leak", "rain again", "Café"])
STATES = st.sampled_from(["new", "open", "resolved", "hold", "waiting"])
TAGS = st.sampled_from(["wet", "wet cold", '"two words"', "Wet, two words", ""])
TERMS = st.sampled_from(
    [
        *(
            "state:open",
            "state:closed",
            "state:hold",
            "responsible:me",
            "responsible:none",
            "responsible:ben",
        ),
        *("watched:me", "watched:cy", "reported_by:me", "commented_by:ben", "has:comments", "rain", "café"),
        *(
            "tagged:wet",
            "tagged:'two words'",
            "milestone:none",
            "milestone:next",
            "milestone:Spring",
            "title:leak",
        ),
        *("importance:>1", "number:>2", "updated:today", "created:yesterday", "body:rain", "project:roof"),
    ]
)
SORTS = st.sampled_from(
    ["", " sort:created", " sort:importance", " sort:title-", " sort:(state,milestone,number)"]
)
QUERIES = st.builds(
    lambda terms, between, sort: between.join(terms) + sort,
    st.lists(st.builds(str.__add__, st.sampled_from(["", "", "-"]), TERMS), min_size=1, max_size=3),
    st.sampled_from([" ", " OR "]),
    SORTS,
)
COMMANDS = st.sampled_from(
    [
        *(
            "state:resolved",
            "state:open",
            "responsible:me",
            "responsible:none",
            "tagged:wet",
            "not-tagged:wet",
        ),
        *("importance:3", "milestone:next", "milestone:none", "project:1", "project:2 tagged:moved"),
    ]
)
SAID = st.builds(
    str.__add__, TEXTS, st.sampled_from(["", "", " [state:hold]", " [tagged:cold milestone:next]"])
)


def some_of(**fields):
    """Return drafts with some of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


IN_TICKETS = {
    "body": SAID,
    "state": STATES,
    "tag": TAGS,
    "importance": st.sampled_from([0, 1, 7]),
    "milestone_id": st.sampled_from([1, 2, 3, None]),
}
KEPT = ("body", "body_html", "creator_id", "created_at", "number", "project_id")
"""What no change of a ticket changes."""


class Steps(RuleBasedStateMachine):
    """What people do, in all instances at once."""

    def __init__(self, built):
        super().__init__()
        self.servers = Servers(built)
        self.ids, self.ask = self.servers.ids, self.servers.ask
        for project, (name, public) in enumerate((("Roof", False), ("Harbour", True)), 1):
            self.ask("ada", "POST", "/projects", {"project": {"name": name, "public": public}})
            at = f"/projects/{project}"
            self.ask("ada", "POST", f"{at}/memberships", {"membership": {"user_id": self.ids["ben"]}})
            self.ask("ada", "POST", f"{at}/milestones", {"milestone": {"title": "Spring"}})
            for _ in TICKETS:
                first = {"title": "Leak", "tag": "wet", "assigned_user_id": self.ids["ben"]}
                self.ask("ben", "POST", f"{at}/tickets", {"ticket": first})

    @rule(seconds=st.sampled_from([1, 3600, 20 * 3600]))
    def time_passes(self, seconds):
        self.servers.now += seconds * SECOND

    @rule(who=CALLERS, project=PROJECTS, title=TITLES, draft=some_of(**IN_TICKETS), person=PEOPLE)
    def somebody_opens_a_ticket(self, who, project, title, draft, person):
        path = f"/projects/{project}/tickets"
        self.ask(
            who, "POST", path, {"ticket": {**draft, "title": title, "assigned_user_id": self.ids.get(person)}}
        )

    @rule(who=CALLERS, project=PROJECTS, number=SOME, draft=some_of(**IN_TICKETS, title=TITLES))
    def somebody_changes_a_ticket(self, who, project, number, draft):
        path = f"/projects/{project}/tickets/{number}"
        before = self.ask("ada", "GET", path)
        after = self.ask(who, "PUT", path, {"ticket": draft})
        if after:
            assert after["version"] == before["version"] + 1
            assert {name: after[name] for name in KEPT} == {name: before[name] for name in KEPT}

    @rule(who=CALLERS, project=PROJECTS, number=SOME, watchers=st.lists(PEOPLE, max_size=3), person=PEOPLE)
    def somebody_says_whose_a_ticket_is(self, who, project, number, watchers, person):
        named = ",".join(str(self.ids[name]) for name in watchers if name)
        draft = {"assigned_user_id": self.ids.get(person), "multiple_watchers": named}
        self.ask(who, "PUT", f"/projects/{project}/tickets/{number}", {"ticket": draft})

    @rule(who=CALLERS, project=PROJECTS, number=SOME, state=STATES)
    def somebody_sends_a_whole_ticket_back(self, who, project, number, state):
        path = f"/projects/{project}/tickets/{number}"
        if ticket := self.ask(who, "GET", path):
            kept = {name: value for name, value in ticket.items() if not isinstance(value, list)}
            self.ask(who, "PUT", path, {"ticket": {**kept, "state": state}})

    @rule(who=CALLERS, project=PROJECTS, number=SOME)
    def somebody_removes_a_ticket(self, who, project, number):
        self.ask(who, "DELETE", f"/projects/{project}/tickets/{number}")

    @rule(who=CALLERS, project=PROJECTS, number=SOME, text=SAID)
    def somebody_comments(self, who, project, number, text):
        self.ask(who, "POST", f"/projects/{project}/tickets/{number}/versions", {"version": {"body": text}})

    @rule(
        who=CALLERS,
        project=PROJECTS,
        number=SOME,
        version=SOME,
        text=TEXTS,
        method=st.sampled_from(["PUT", "DELETE"]),
    )
    def somebody_takes_a_comment_back(self, who, project, number, version, text, method):
        data = {"version": {"body": text}} if method == "PUT" else None
        self.ask(who, method, f"/projects/{project}/tickets/{number}/versions/{version}", data)

    @rule(who=CALLERS, project=PROJECTS, query=QUERIES, command=COMMANDS, tried=st.booleans())
    def somebody_changes_many(self, who, project, query, command, tried):
        edit = {"query": query, "command": command, "dry_run": tried}
        self.ask(who, "POST", f"/projects/{project}/bulk_edit", {"bulk_edit": edit})

    @rule(who=CALLERS, project=PROJECTS, which=SOME)
    def somebody_changes_many_back(self, who, project, which):
        self.ask(who, "POST", f"/projects/{project}/bulk_edits/{which}/undo")

    @rule(
        who=CALLERS,
        project=PROJECTS,
        number=SOME,
        keyword=st.sampled_from(["fixes #{}", "[#{} tagged:done]", "#{}"]),
    )
    def somebody_commits(self, who, project, number, keyword):
        changeset = {"revision": f"{self.servers.now}", "title": "Patch", "body": keyword.format(number)}
        self.ask(who, "POST", f"/projects/{project}/changesets", {"changeset": changeset})

    @rule(
        who=CALLERS,
        project=PROJECTS,
        which=SOME,
        how=st.sampled_from(["POST", "PUT", "PUT close", "PUT open", "DELETE"]),
        draft=some_of(title=TITLES, due_on=st.sampled_from(["2026-03-01", "2027-01-01", None])),
    )
    def somebody_plans(self, who, project, which, how, draft):
        method, _, step = how.partition(" ")
        item = "" if method == "POST" else f"/{which}/{step}".rstrip("/")
        self.ask(
            who, method, f"/projects/{project}/milestones{item}", {"milestone": draft} if draft else None
        )

    @rule(who=CALLERS, project=PROJECTS, opened=st.sampled_from(["new/f17\nopen/aaa", "new/f17\nhold/aaa"]))
    def somebody_says_what_is_open(self, who, project, opened):
        drafted = {"open_states": opened, "closed_states": "resolved/6a0\nwaiting/eb0"}
        self.ask(who, "PUT", f"/projects/{project}/settings", {"settings": drafted})

    @rule(
        who=CALLERS,
        project=PROJECTS,
        draft=some_of(public=st.booleans(), archived=st.booleans(), name=TITLES),
    )
    def somebody_changes_a_project(self, who, project, draft):
        self.ask(who, "PUT", f"/projects/{project}", {"project": draft})

    @rule(who=CALLERS, project=PROJECTS, query=QUERIES, shared=st.booleans())
    def somebody_keeps_a_query(self, who, project, query, shared):
        kept = {"name": query, "query": query, "shared": shared}
        self.ask(who, "POST", f"/projects/{project}/bins", {"bin": kept})

    @rule(who=CALLERS, project=PROJECTS, method=st.sampled_from(["POST", "DELETE"]))
    def somebody_lets_ben_in_or_out(self, who, project, method):
        members = self.ask("ada", "GET", f"/projects/{project}/memberships")
        own = [f"/{each['id']}" for each in members if each["user_id"] == self.ids["ben"]]
        if method == "POST" or own:
            item, data = (
                ("", {"membership": {"user_id": self.ids["ben"]}}) if method == "POST" else (own[0], None)
            )
            self.ask(who, method, f"/projects/{project}/memberships{item}", data)

    @rule(who=CALLERS, project=PROJECTS, queries=st.lists(QUERIES, min_size=8, max_size=8))
    def what_is_found_is_what_stands_there(self, who, project, queries):
        world = self.servers.seen()
        for query in queries:
            found = self.ask(who, "GET", f"/projects/{project}/tickets?limit=100&q={quote(query)}")
            if found is not None:
                expected = naive_search.found(world, parse(query), (project,), self.ids[who])
                assert [(project, ticket["number"]) for ticket in found] == expected, query

    @rule(who=CALLERS, project=PROJECTS)
    def what_is_counted_is_what_stands_there(self, who, project):
        at = f"/projects/{project}"
        if not (shown := self.ask(who, "GET", at)):
            return
        world = self.servers.seen()
        tickets = [ticket for ticket in world.tickets.values() if ticket.project_id == project]
        assert shown["open_tickets_count"] == sum(not ticket.closed for ticket in tickets)
        for each in self.ask(who, "GET", f"{at}/states"):
            assert each["tickets_count"] == sum(ticket.state == each["name"] for ticket in tickets)
        tags = {each["name"]: each["tickets_count"] for each in self.ask(who, "GET", f"{at}/tags")}
        assert tags == Counter(tag for ticket in tickets for tag in ticket.tags)
        for each in self.ask(who, "GET", f"{at}/milestones"):
            planned = [ticket for ticket in tickets if ticket.milestone == each["id"]]
            assert each["tickets_count"] == len(planned)
            assert each["open_tickets_count"] == sum(not ticket.closed for ticket in planned)
        for each in self.ask(who, "GET", f"{at}/bins"):
            found = naive_search.found(world, parse(each["query"]), (project,), self.ids[who])
            assert each["tickets_count"] in (len(found), None)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    with stateful.built(tmp_path_factory.mktemp) as found:
        yield found


def walk(built, examples, *, derandomize):
    """Take so many times some steps, and let all that is kept be recounted at the end."""
    run_state_machine_as_test(
        lambda: Steps(built),
        settings=settings(
            deadline=None,
            max_examples=examples,
            stateful_step_count=30,
            database=None,
            derandomize=derandomize,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    for instance, *_ in built:
        assert [
            each for check in recount(instance.database, instance.blobs) for each in check.differences
        ] == []


def test_all_instances_answer_the_same_steps_identically(built):
    walk(built, 3, derandomize=True)


@pytest.mark.fuzz
def test_for_a_long_time_all_instances_answer_the_same_steps_alike(built):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        walk(built, 20, derandomize=False)
