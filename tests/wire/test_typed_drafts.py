"""Drafts as use cases read them.

The type checker reads this file, too: it complains of each ``type: ignore`` that is not needed any more.
"""

from datetime import UTC, datetime

import pytest

from skerry.resources.milestones import Milestone
from skerry.wire.drafts import Draft
from skerry.wire.record import UNSET

MAY = datetime(2026, 5, 1, tzinfo=UTC)


def test_what_was_sent_stands_over_what_was_there() -> None:
    draft = Draft(Milestone, {"title": "Roof", "due_on": None})
    after = draft.over(Milestone(id=3, title="Wall", goals="Dry", due_on=MAY))
    assert after == Milestone(id=3, title="Roof", goals="Dry", due_on=None)


def test_a_new_record_has_the_defaults_of_what_was_not_sent() -> None:
    assert Draft(Milestone, {"title": "Roof"}).new == Milestone(title="Roof")


def test_nothing_is_told_from_what_was_not_sent() -> None:
    draft = Draft(Milestone, {"due_on": None})
    assert (draft.get(Milestone.due_on), draft.get(Milestone.title)) == (None, UNSET)


def test_a_value_is_put_in_the_place_of_another() -> None:
    draft = Draft(Milestone, {"title": "Roof"})
    assert draft.put(Milestone.title, "Wall").new.title == "Wall"
    assert draft.new.title == "Roof"


def test_an_empty_draft_is_false() -> None:
    assert not Draft(Milestone, {})
    assert Draft(Milestone, {"goals": ""})


def test_a_misspelt_field_is_refused_by_the_type_checker() -> None:
    draft = Draft(Milestone, {"title": "Roof"})
    with pytest.raises(AttributeError):
        _ = draft.new.titel  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = draft.over(Milestone()).titel  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        draft.get(Milestone.titel)  # type: ignore[attr-defined]


def test_the_name_of_a_field_is_not_taken_from_its_value() -> None:
    with pytest.raises(TypeError, match="A field is named by its class"):
        Draft(Milestone, {}).get("title")
