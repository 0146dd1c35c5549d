"""Functions that run after a commit."""

import pytest

from skerry.errors import Unavailable


def fail():
    raise OSError("no")


def test_functions_run_after_the_commit_in_order(world):
    done = []
    with world.write() as transaction:
        transaction.after_commit(lambda: done.append("first"))
        transaction.after_commit(lambda: done.append("second"))
        assert done == []
    assert done == ["first", "second"]


def test_functions_do_not_run_after_a_rollback(world):
    done = []

    def change_and_fail():
        with world.write() as transaction:
            transaction.after_commit(lambda: done.append("never"))
            fail()

    with pytest.raises(OSError, match="no"):
        change_and_fail()
    assert done == []


def test_a_failure_after_a_commit_is_logged_and_changes_nothing(world):
    done = []
    with world.write() as transaction:
        transaction.after_commit(fail)
        transaction.after_commit(lambda: done.append("still"))
    assert done == ["still"]
    assert "after a commit" in world.log.getvalue()
    world.log.truncate(0)


def test_a_missing_disk_is_logged_in_one_line(world):
    def find_no_disk():
        raise Unavailable("The files are away") from OSError("read-only")

    with world.write() as transaction:
        transaction.after_commit(find_no_disk)
    assert "after a commit reason=read-only" in world.log.getvalue()
    assert world.log.getvalue().count("\n") == 1
    world.log.truncate(0)


def test_the_next_writer_does_not_wait_for_it(world):
    def write_again():
        with world.write():
            pass

    with world.write() as transaction:
        transaction.after_commit(write_again)
    assert world.log.getvalue() == ""
