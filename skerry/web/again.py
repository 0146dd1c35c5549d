"""Reading again what the caller has already: as long as nothing changes, nothing is read."""

from skerry.tracker.visit import Visit
from skerry.web import answer
from skerry.web.answer import Seen
from skerry.web.passage import Passage
from skerry.wire.formats import Format

LONGEST = 1000
"""Of addresses with more characters nothing is remembered: nobody is to fill the memory with them."""


def seen(visit: Visit, passage: Passage, form: Format) -> Seen:
    """Give what there is, without its body if that is what the caller has.

    A tag is always that of the body, but it is remembered for as long as the database is as it was
    when the body was made.
    """
    arrival, found = passage.arrival, list[Seen]()

    def look() -> Seen:
        found.append(answer.seen(form, arrival, passage.ask, passage.line.work(visit, passage.ask)))
        return found[0]._replace(body=None)

    # All that an answer depends on beside the data: the address as it was asked, and who asks.
    query = passage.request.query_string
    asked = (arrival.base, arrival.path, arrival.extension, query, form.name, visit.caller)
    is_long = len(arrival.path) + len(query) > LONGEST
    kept = look() if is_long else visit.transaction.recall(asked, look)
    if not found and not kept.is_known(passage.request):
        look()
    return found[0] if found else kept
