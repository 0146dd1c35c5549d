"""When a process gives memory back."""

from skerry.web.memory_trimming import LONGEST_PAUSE, MemoryTrimmer

MIB = 1 << 20


class Machine:
    """What a process holds: used by somebody, and free but kept."""

    def __init__(self, used):
        self.used, self.free, self.times = used * MIB, 0, 0

    def held(self):
        return self.used + self.free

    def give_back(self):
        self.free, self.times = 0, self.times + 1

    def release(self, amount):
        self.used, self.free = self.used - amount * MIB, self.free + amount * MIB


def test_what_was_in_use_when_it_was_looked_through_goes_back_later():
    machine = Machine(60)
    trimmer = MemoryTrimmer(machine.held, machine.give_back)
    machine.used = 400 * MIB
    trimmer.look()
    trimmer.look()
    machine.release(330)
    for _ in range(5):
        trimmer.look()
    assert machine.held() == 70 * MIB


def test_a_process_that_stays_large_is_looked_through_once_a_minute():
    machine = Machine(60)
    trimmer = MemoryTrimmer(machine.held, machine.give_back)
    machine.used = 400 * MIB
    looks = [trimmer.look() or machine.times for _ in range(1000)]
    assert (looks[100] - looks[40], looks[-1] - looks[-61]) == (5, 5)
    machine.release(330)
    for _ in range(LONGEST_PAUSE):
        trimmer.look()
    assert machine.held() == 70 * MIB


def test_a_process_that_grows_by_little_is_left_alone():
    machine = Machine(60)
    trimmer = MemoryTrimmer(machine.held, machine.give_back)
    for used in range(60, 120, 10):
        machine.used = used * MIB
        trimmer.look()
    assert machine.times == 0
