"""The work of removing spammers: what they wrote is taken out, put back or deleted, some things at a time.

Each batch is one transaction, so that it can be interrupted, and others write in between. A ticket in which
nobody else wrote goes whole; of others, and of tickets of others, only the texts and files of the spammer go.
"""

from collections.abc import Callable

from skerry.database import locks
from skerry.database.database import Database
from skerry.database.transactions import Transaction
from skerry.store import bulk_edits, messages, milestones, projects, tickets, versions
from skerry.store.auth import logins
from skerry.store.people import people
from skerry.store.people.avatars import SERVICE
from skerry.store.search import index as search_index
from skerry.store.sending.leases import Held
from skerry.store.spam import spam as store
from skerry.store.spam import spam_profiles, spam_rows
from skerry.store.spam.spam import StoredRemoval, Thing
from skerry.store.ticket_rows import moved_tickets
from skerry.tracker.changes import ticket_counts
from skerry.tracker.context import Context, Principal
from skerry.tracker.events import events
from skerry.tracker.events.events import Type

TICKET, TEXT, COMMENT, HELD, PICTURE = "ticket", "text", "comment", "held", "picture"
MARK = store.MARK

AT_ONCE = 20
"""How many things are taken out or put back in a transaction."""

_VIA = "spam"


def send(database: Database, held: Held) -> None:
    """Do all work that is due for the accounts whose lease this process holds."""
    for account_id in held.leased:
        with database.read(account_id) as transaction:
            due = store.due(transaction)
        for removal in due:
            _work(database, held, account_id, removal.user_id)


def _work(database: Database, held: Held, account_id: int, user_id: int) -> None:
    """Work on one removal until there is nothing to do."""
    is_restored = False
    while account_id in held.leased:
        with database.write(account_id) as transaction:
            held.confirm(transaction)
            removal = store.one(transaction, user_id, lock=True)
            if removal is None:
                break
            state = _state(transaction, removal)
            is_restored = is_restored or state == store.RESTORING
            if state not in _STEPS or not _STEPS[state](transaction, removal):
                break
    if is_restored:
        # Tickets that were put back may be below others in the list, but above them in the index.
        for _ in search_index.put_in_order(database, account_id):
            pass


def _state(transaction: Transaction, removal: StoredRemoval) -> str:
    is_over = removal.state == store.REMOVED and removal.created_at <= transaction.now - store.UNDO_PERIOD
    return store.DELETING if is_over else removal.state


def _remove(transaction: Transaction, removal: StoredRemoval) -> bool:
    """Take some things out; return whether there may be more."""
    done = 0
    for take in (_take_tickets, _take_texts, _take_comments, _take_held, _take_watches, _take_profile):
        done = take(transaction, removal)
        if done:
            break
    if not done:
        store.set_state(transaction, removal.user_id, store.REMOVED)
    return bool(done)


def _in_project(transaction: Transaction, removal: StoredRemoval, project_id: int) -> Context | None:
    """Return the context of whoever removed the spammer, inside a project, if that still exists."""
    locks.lock_shared(transaction, project_id)
    project = projects.one(transaction, project_id)
    person = people.person(transaction, removal.creator_id)
    if project is None:
        return None
    principal = Principal(removal.creator_id, person.name if person else "", person.role if person else None)
    return Context(transaction, principal, project, member=True, via=_VIA)


def _take_tickets(transaction: Transaction, removal: StoredRemoval) -> int:
    some = spam_rows.tickets_of(transaction, removal.user_id, AT_ONCE)
    for project_id, number in some:
        context = _in_project(transaction, removal, project_id)
        locked = tickets.locked(transaction, project_id, number)
        if context is None or locked is None:
            continue
        rows = spam_rows.of_ticket(transaction, project_id, number)
        store.put(transaction, removal.user_id, TICKET, rows, project_id=project_id, number=number)
        spam_rows.let_go(transaction, project_id, number)
        if locked.ticket.private:
            bulk_edits.hide(transaction, project_id, [number])
        tickets.remove(transaction, project_id, number)
        ticket_counts.moved(transaction, project_id, locked.ticket, None)
        events.record(context, Type.TICKET_DELETED, number)
    return len(some)


def _take_texts(transaction: Transaction, removal: StoredRemoval) -> int:
    some = spam_rows.texts_of(transaction, removal.user_id, AT_ONCE)
    for project_id, number, version in some:
        context = _in_project(transaction, removal, project_id)
        tickets.lock(transaction, project_id, number)
        text = versions.one(transaction, project_id, number, version)
        if context is None or text is None:
            continue
        rows = spam_rows.of_text(transaction, project_id, number, version)
        place = {"project_id": project_id, "number": number, "version": version}
        store.put(transaction, removal.user_id, TEXT, rows, **place)
        spam_rows.take_text(transaction, rows, **place)
        if files := len(rows["attachments"]):
            versions.discount(transaction, text, files)
            tickets.discount(transaction, project_id, number, files)
        versions.delete_text(transaction, text, deleter_id=removal.creator_id)
        search_index.index(transaction, project_id, number)
        events.record(context, Type.VERSION_DELETED, number, changes={"body": None}, version=version)
    return len(some)


def _take_comments(transaction: Transaction, removal: StoredRemoval) -> int:
    some = spam_rows.comments_of(transaction, removal.user_id, AT_ONCE)
    for project_id, message_id in some:
        context = _in_project(transaction, removal, project_id)
        messages.lock(transaction, project_id, message_id)
        comment = messages.one(transaction, project_id, message_id)
        if context is None or comment is None:
            continue
        rows = spam_rows.of_comment(transaction, project_id, message_id)
        store.put(transaction, removal.user_id, COMMENT, rows, project_id=project_id, number=message_id)
        messages.remove(transaction, comment)
        events.record(context, Type.MESSAGE_DELETED, message_id)
    return len(some)


def _take_held(transaction: Transaction, removal: StoredRemoval) -> int:
    some = spam_rows.held_of(transaction, removal.user_id, AT_ONCE)
    for rows in some:
        (row,) = rows["held_texts"]
        kind = HELD if row["shown_as"] is None else MARK
        store.put(transaction, removal.user_id, kind, rows, project_id=row["project_id"])
    return len(some)


def _take_watches(transaction: Transaction, removal: StoredRemoval) -> int:
    """Let the spammer watch nothing: watchers are shown by their names."""
    some = spam_profiles.watched(transaction, removal.user_id, AT_ONCE)
    for project_id, number in some:
        locks.lock_shared(transaction, project_id)
        locked = tickets.locked(transaction, project_id, number)
        if locked is not None:
            tickets.unwatch(transaction, locked.ticket, removal.user_id)
            rows = {"watchers": [{"user_id": removal.user_id}]}
            store.put(transaction, removal.user_id, store.WATCH, rows, project_id=project_id, number=number)
    return len(some)


def _take_profile(transaction: Transaction, removal: StoredRemoval) -> int:
    """Empty the profile, unless other accounts show it as well."""
    login = logins.of_user(transaction, removal.user_id)
    if login is None or login.account_id == 0:
        return 0
    profile = spam_profiles.take(transaction, removal.user_id)
    if profile is None:
        return 0
    store.put(transaction, removal.user_id, store.PROFILE, {"users": [profile]})
    if code := profile["avatar_code"]:
        store.keep_files(transaction, removal.user_id, SERVICE, [code])
    return 1


def _restore(transaction: Transaction, removal: StoredRemoval) -> bool:
    """Put some things back; return whether there may be more."""
    some = store.things(transaction, removal.user_id, AT_ONCE)
    for thing in some:
        if thing.kind in (store.PROFILE, PICTURE):
            spam_profiles.put_back(transaction, removal.user_id, thing.rows["users"][0])
            continue
        context = _in_project(transaction, removal, thing.project_id)
        if context:
            _PUT_BACK[thing.kind](context, thing)
    store.forget(transaction, removal.user_id, [thing.id for thing in some])
    if not some:
        store.remove(transaction, removal.user_id)
    return bool(some)


def _put_ticket_back(context: Context, thing: Thing) -> None:
    transaction, project_id = context.transaction, thing.project_id
    rows = dict(thing.rows)
    for row in (*rows["tickets"], *rows["versions"]):
        milestone_id = row["milestone_id"]
        if milestone_id and not milestones.exists(transaction, project_id, milestone_id):
            row["milestone_id"] = None
    rows["ticket_links"] = [row for row in rows["ticket_links"] if _has_both_ends(transaction, row, thing)]
    spam_rows.put_back(transaction, rows)
    ticket = tickets.one(transaction, project_id, thing.number)
    if ticket:
        ticket_counts.moved(transaction, project_id, None, ticket)
        search_index.index_new(transaction, project_id, [thing.number])
        events.record(context, Type.TICKET_CREATED, thing.number, version=1)


def _has_both_ends(transaction: Transaction, link: dict[str, int], thing: Thing) -> bool:
    ends = ((link["project_id"], link["number"]), (link["other_project_id"], link["other_number"]))
    here = (thing.project_id, thing.number)
    return all(end == here or tickets.one(transaction, *end) is not None for end in ends)


def _put_text_back(context: Context, thing: Thing) -> None:
    transaction = context.transaction
    place = moved_tickets.present(transaction, thing.project_id, thing.number)
    tickets.lock(transaction, *place)
    text = versions.one(transaction, *place, thing.version)
    if text is None or text.body:
        return
    spam_rows.restore_text(transaction, {**place._asdict(), "version": thing.version}, thing.rows)
    if files := len(thing.rows["attachments"]):
        versions.discount(transaction, text, -files)
        tickets.discount(transaction, *place, -files)
    versions.touch(transaction, text)
    search_index.index(transaction, *place)
    events.record(
        context,
        Type.VERSION_UPDATED,
        place.number,
        changes={"body": None},
        version=thing.version,
        project_id=place.project_id,
    )


def _put_comment_back(context: Context, thing: Thing) -> None:
    (row,) = thing.rows["messages"]
    messages.lock(context.transaction, thing.project_id, row["parent_id"])
    if messages.one(context.transaction, thing.project_id, row["parent_id"]) is None:
        return
    spam_rows.put_back(context.transaction, thing.rows)
    spam_rows.count_comment(context.transaction, thing.project_id, row["parent_id"])
    changes = {"body": None, "parent_id": [None, row["parent_id"]]}
    events.record(context, Type.MESSAGE_CREATED, thing.number, changes=changes)


def _put_held_back(context: Context, thing: Thing) -> None:
    spam_rows.put_back(context.transaction, thing.rows)


def _put_watch_back(context: Context, thing: Thing) -> None:
    place = moved_tickets.present(context.transaction, thing.project_id, thing.number)
    locked = tickets.locked(context.transaction, *place)
    if locked is not None:
        (row,) = thing.rows["watchers"]
        tickets.watch(context.transaction, locked.ticket, [row["user_id"]])


_PUT_BACK: dict[str, Callable[[Context, Thing], None]] = {
    TICKET: _put_ticket_back,
    TEXT: _put_text_back,
    COMMENT: _put_comment_back,
    HELD: _put_held_back,
    MARK: _put_held_back,
    store.WATCH: _put_watch_back,
}


def _delete(transaction: Transaction, removal: StoredRemoval) -> bool:
    """Delete some things for good; return whether there may be more."""
    store.set_state(transaction, removal.user_id, store.DELETING)
    some = store.things(transaction, removal.user_id, AT_ONCE)
    for thing in some:
        if thing.project_id and thing.kind in (TICKET, COMMENT):
            context = _in_project(transaction, removal, thing.project_id)
            if context:
                events.forget(context, "ticket" if thing.kind == TICKET else "message", thing.number)
        elif thing.kind == store.PROFILE:
            events.forget(Context(transaction), "user", removal.user_id)
    store.forget(transaction, removal.user_id, [thing.id for thing in some])
    if some or store.release_files(transaction, removal.user_id, AT_ONCE):
        return True
    store.remove(transaction, removal.user_id)
    return False


_STEPS: dict[str, Callable[[Transaction, StoredRemoval], bool]] = {
    store.REMOVING: _remove,
    store.RESTORING: _restore,
    store.DELETING: _delete,
}
"""What is done in each state, in one transaction; it returns whether there may be more."""
