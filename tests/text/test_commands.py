"""Commands in bulk edits, comments and commit messages."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skerry.text.actions import (
    MAX_CHANGES,
    MAX_IN_BRACKETS,
    MAX_WRITTEN,
    Action,
    actions_in_message,
    commands_in_comment,
)
from skerry.text.commands import COMMANDS, Command, parse_commands
from skerry.text.queries.query_tree import QueryError

RESOLVED = Command("state", "resolved")
DONE = Command("tagged", "done")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("state:resolved tagged:done", (RESOLVED, DONE)),
        ("STATE:resolved", (RESOLVED,)),
        (
            "not-tagged:done -tagged:x",
            (Command("tagged", "done", negated=True), Command("tagged", "x", negated=True)),
        ),
        ("tagged:(done,'two words')", (DONE, Command("tagged", "two words"))),
        ("assigned:'Ada Byron'", (Command("responsible", "Ada Byron"),)),
        ("responsible:none milestone:next", (Command("responsible", None), Command("milestone", "next"))),
        ("milestone:2.3.5", (Command("milestone", "2.3.5"),)),
        ("importance:3", (Command("importance", 3),)),
        ("importance:None", (Command("importance", 0),)),
        ("project:roof", (Command("project", "roof"),)),
    ],
)
def test_a_bulk_edit_holds_these_commands(text: str, commands: tuple[Command, ...]) -> None:
    assert parse_commands(text) == commands


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" ", "There is no command"),
        ("status:open", "Unknown keyword 'status' at 1; did you mean 'state'?"),
        ("a:b", f"Unknown keyword 'a' at 1; commands are {', '.join(COMMANDS)}"),
        ("state:a resolved", "The text at 9 is not a command; commands look like state:resolved"),
        ("state:a OR state:b", "The text at 9 is not a command; commands look like state:resolved"),
        ("(state:a)", "The text at 1 is not a command; commands look like state:resolved"),
        ("not-state:a", "The command at 1 cannot be negated; only those of tags and links can"),
        ("state:(a,b)", "The command 'state' at 1 takes one value"),
        ("state:a state:b", "The command 'state' at 15 is given twice"),
        ("importance:-1", "Cannot read '-1' at 12 as an importance"),
        ("importance:12345678901", "Cannot read '12345678901' at 12 as an importance"),
        ("state:", "The keyword 'state' at 1 has no value right after its colon"),
    ],
)
def test_a_bulk_edit_with_anything_else_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        parse_commands(text)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("Works for me. [state:resolved]", (RESOLVED,)),
        ("[state:resolved tagged:done]", (RESOLVED, DONE)),
        ("[#1359 state:resolved]", (RESOLVED,)),
        ("[1359, state:resolved]", (RESOLVED,)),
        ("[BUG] see [1] [state:resolved]", (RESOLVED,)),
        ("[state:resolved] [tagged:done]", ()),
        ("[state:resolved] render [:host]", ()),
        ("[state:resolved please]", ()),
        ("[state:resolved status:x]", ()),
        ("[state: resolved]", ()),
        ("[project:roof]", ()),
        ("state:resolved", ()),
        ("[#12]", ()),
        ("[]", ()),
    ],
)
def test_one_bracket_of_commands_in_a_comment_acts(body: str, commands: tuple[Command, ...]) -> None:
    assert commands_in_comment(body) == commands


@pytest.mark.parametrize(
    ("message", "actions"),
    [
        ("Mend [#12 state:resolved tagged:done]", [Action((12,), (RESOLVED, DONE))]),
        ("[#12]", [Action((12,))]),
        ("[#12 #13 #12 state:resolved]", [Action((12, 13), (RESOLVED,))]),
        ("[#6448, #5572]", [Action((6448, 5572))]),
        ("[#12\nstate:resolved]", [Action((12,), (RESOLVED,))]),
        ("[state:resolved #12]", [Action((12,), (RESOLVED,))]),
        ("[#12: state:resolved,tagged:done]", [Action((12,), (RESOLVED, DONE))]),
        ("[#1 state:resolved] [#1 tagged:done]", [Action((1,), (RESOLVED,)), Action((1,), (DONE,))]),
        ("[#1 milestone:'Next release']", [Action((1,), (Command("milestone", "Next release"),))]),
        ("[#1 tagged:(a, done)]", [Action((1,), (Command("tagged", "a"), DONE))]),
        ("[12 state:resolved]", [Action((12,), (RESOLVED,))]),
        ("[#12 3 state:resolved]", [Action((12,), (RESOLVED,))]),
        ("[1] [2, 3]", []),
        ("[#0] [#] [#99999999999999999999] [#12abc] [state:resolved]", []),
        ("[#12 status:resolved]", [Action((12,))]),
        ("[#12 state: resolved]", [Action((12,))]),
        ("[#12 state:resolved project:roof]", [Action((12,), (RESOLVED,))]),
        ("[see #12]", [Action((12,))]),
        (
            "[Roof#12 #3 state:resolved]",
            [Action((12,), (RESOLVED,), project="roof"), Action((3,), (RESOLVED,))],
        ),
        (
            "Fixes 7-roof#4, #5 and roof#6, a.b#7",
            [
                Action((4,), closes=True, project="7-roof"),
                Action((5,), closes=True),
                Action((6,), closes=True, project="roof"),
            ],
        ),
        ('Revert "fixes roof#2"', [Action((2,), project="roof")]),
        ("Fixes #12", [Action((12,), closes=True)]),
        (
            "this CLOSES  #1, resolves\n#2 and closes #1",
            [Action((1,), closes=True), Action((2,), closes=True)],
        ),
        ("fixes #1 [#2]", [Action((2,)), Action((1,), closes=True)]),
        ("[Closes #7]", [Action((7,), closes=True)]),
        ("[fixes #7 tagged:done]", [Action((7,), (DONE,)), Action((7,), closes=True)]),
        ("Fixes #4, #5 and #6, #7a", [Action((number,), closes=True) for number in (4, 5, 6)]),
        ("closes #1 & #2, and #3; #4", [Action((number,), closes=True) for number in (1, 2, 3)]),
        ("Text\n\nFixes: #7\nCloses:#8,\n #9", [Action((number,), closes=True) for number in (7, 8, 9)]),
        ("fixes#1, fixes:: #2, fixes #3andy", []),
        ('Revert "Fix it, fixes #2"', [Action((2,))]),
        ('\nRevert "Fix it [#1 state:resolved], closes #2 and #1"\n\nfixes #3', [Action((1, 2, 3))]),
        ("Undo it\n\nThis reverts commit 1234567.\nFixes: #2", [Action((2,))]),
        ('Reapply "Fix it, fixes #2"\n\nThis reverts commit 1234567.', [Action((2,), closes=True)]),
        ('Do not revert "x", fixes #2', [Action((2,), closes=True)]),
        ("fix #1, prefixes #2, fixes 3, closes #4a, of #5, #6", []),
    ],
)
def test_a_commit_message_has_these_effects(message: str, actions: list[Action]) -> None:
    assert list(actions_in_message(message)) == actions


def test_one_message_touches_tickets_a_thousand_times_at_most() -> None:
    many = " ".join(f"[#{number} #{number + 1}]" for number in range(1, 700))
    touched = [number for action in actions_in_message(f"{many} [#9") for number in action.numbers]
    assert len(touched) == MAX_CHANGES
    assert touched[:4] == [1, 2, 2, 3]


def test_a_long_message_touches_fewer_tickets() -> None:
    message = f"{'word ' * 20_000}{' '.join(f'[#{number}]' for number in range(1, 500))}"
    touched = [number for action in actions_in_message(message) for number in action.numbers]
    assert len(touched) * len(message) <= MAX_WRITTEN < (len(touched) + 1) * len(message)


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "[#1 ",
        "fixes ",
        "fixes\n\n",
        '[a:" ',
        "]",
        "fixes #1, ",
        "closes:",
        "This reverts ",
        "[#1 state:'",
        "#",
        "[:",
        "([",
    ],
)
def test_long_hostile_messages_are_read_to_their_end(piece: str) -> None:
    message = piece * (200_000 // len(piece)) + " fixes #7"
    assert actions_in_message(message)[-1] == Action((7,), closes=True)
    assert commands_in_comment(message) == ()


@pytest.mark.parametrize(
    "piece",
    ["[a]", "[#]", "[1 a:b]", "[#0 a]", "[#0 state:x] ", f"[{'state:(a) ' * 90}]", f"[0 {'a:b ' * 200}]"],
)
def test_a_message_full_of_brackets_takes_bounded_time(piece: str) -> None:
    message = piece * ((1 << 20) // len(piece))
    start = time.process_time()
    assert actions_in_message(message) == ()
    assert time.process_time() - start < 2  # the slowest takes 0.3, and 10 if all are read as commands


def test_brackets_beyond_the_limit_do_nothing() -> None:
    idle = f"[10 {'-' * 995}]"
    many = idle * (MAX_IN_BRACKETS // len(idle))
    closes = Action((3,), closes=True)
    assert actions_in_message(f"{many}[#2] fixes #3") == (Action((2,)), closes)
    assert actions_in_message(f"{many}{idle}[#2] fixes #3") == (closes,)


PARTS = st.sampled_from(
    [
        "[",
        "]",
        "#",
        "12",
        " ",
        ",",
        ":",
        "'",
        '"',
        "(",
        ")",
        "fixes #3",
        "not-",
        "\n",
        *(f"{key}:x" for key in COMMANDS),
    ]
)


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(PARTS, max_size=20).map("".join)))
def test_any_text_executes_only_permitted_commands(text: str) -> None:
    for action in actions_in_message(text):
        assert action.numbers
        assert all(command.key != "project" for command in action.commands)
    assert all(command.key in COMMANDS for command in commands_in_comment(text))
    try:
        assert parse_commands(text)
    except QueryError as refusal:
        assert 1 <= refusal.position <= max(len(text), 1)  # noqa: PT017
