"""The costs of records in a response; tests/web/test_budget.py has the responses."""

from skerry.resources.messages import Message
from skerry.wire import budget


def test_the_bound_of_a_whole_list_is_above_its_cost() -> None:
    messages = [Message(title="&" * 255) for _ in range(1_000)]
    assert budget.at_most(messages) >= sum(budget.overhead(each) + budget.weight(each) for each in messages)
