"""Messages to a project, and the comments on them."""

from skerry.errors import Invalid, NotFound
from skerry.resources.messages import Comment, Message
from skerry.store import comments
from skerry.store import messages as store
from skerry.store.comments import LastComment
from skerry.text.slugs import permalink
from skerry.tracker import events, rendering, ticking
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Page, Visit
from skerry.wire import budget
from skerry.wire.record import changed


def listed(visit: Visit, ask: Ask) -> Listing[Message]:
    """Return a page of the project's messages with their comments, the last changed first."""
    page = ask.page
    found = comments.with_messages(visit.transaction, visit.project_id, limit=page.limit, offset=page.offset)
    return Listing(Message, found, store.count(visit.transaction, visit.project_id))


def listed_without_comments(visit: Visit, page: Page) -> Listing[Message]:
    """Return a page of the project's messages without the comments on them, the last changed first."""
    found = store.page(visit.transaction, visit.project_id, limit=page.limit, offset=page.offset)
    return Listing(Message, found, store.count(visit.transaction, visit.project_id))


def last_comments(visit: Visit, found: list[Message]) -> dict[int, LastComment]:
    """Return the last comment on each message of the project on which there is one, by the message's id."""
    commented = [message.id or 0 for message in found if message.comments_count]
    return comments.last(visit.transaction, commented) if commented else {}


def newest(visit: Visit) -> Message | None:
    """Return the message of the project that was changed last, without the comments on it."""
    found = store.page(visit.transaction, visit.project_id, limit=1, offset=0)
    return found[0] if found else None


def shown(visit: Visit, ask: Ask) -> Message:
    """Return a message with its comments, or a comment, which has none; raises NotFound."""
    return _whole(visit, ask.ids["id"])


def one(visit: Visit, message_id: int) -> Message:
    """Return a message or a comment without the comments on it; raises NotFound."""
    message = store.one(visit.transaction, visit.project_id, message_id)
    if message is None:
        raise NotFound("There is no such message in this project")
    return message


def with_page(visit: Visit, message: Message, page: Page) -> tuple[Message, list[Message]]:
    """Return a message of the project and a page of its comments, oldest first, within the budget."""
    (shown,), room = comments.leaving_room([message])
    return shown, _comments(visit, message, page, room)


def _comments(visit: Visit, message: Message, page: Page, room: int) -> list[Message]:
    here = {"limit": page.limit, "offset": page.offset, "room": room}
    return comments.page(visit.transaction, visit.project_id, message.id or 0, **here)


def commented(visit: Visit, ask: Ask) -> Listing[Message]:
    """Return a page of the comments on a message, oldest first; raises NotFound."""
    message = one(visit, ask.ids["id"])
    return Listing(Message, _comments(visit, message, ask.page, budget.MOST), message.comments_count)


def page_with(visit: Visit, comment: Message, limit: int) -> Page:
    """Return the page on which a comment stands, where each has so many."""
    return Page(comments.before(visit.transaction, comment) // limit + 1, limit)


def blank(visit: Visit, _ask: Ask) -> Message:
    """Return a new message with the defaults that it has when only a title is given."""
    return Message(project_id=visit.project_id, comments=[])


def create(visit: Visit, ask: Ask) -> Message:
    """Post a message to the project."""
    new = ask.draft_of(Message).new
    message_id = store.add(
        visit.transaction,
        project_id=visit.project_id,
        parent_id=None,
        user_id=visit.author.user_id,
        title=new.title,
        permalink=permalink(new.title),
        body=new.body,
        body_html=rendering.render(visit, new.body),
    )
    events.record(visit, Type.MESSAGE_CREATED, message_id, changes=events.compared(Message(), new))
    return _whole(visit, message_id)


def comment(visit: Visit, ask: Ask) -> Message:
    """Comment on a message; raises NotFound if there is none, or if it is a comment itself."""
    body = ask.draft_of(Comment).new.body
    comment_id = store.add_comment(
        visit.transaction,
        visit.project_id,
        ask.ids["id"],
        user_id=visit.author.user_id,
        body=body,
        body_html=rendering.render(visit, body),
    )
    if comment_id is None:
        raise NotFound("There is no such message in this project; a comment has no comments of its own")
    events.record(
        visit, Type.MESSAGE_CREATED, comment_id, changes={"body": None, "parent_id": [None, ask.ids["id"]]}
    )
    return one(visit, comment_id)


def _body(visit: Visit, ask: Ask) -> str:
    return one(visit, ask.ids["id"]).body


foreseen = ticking.foreseen(Message, Message.body, _body)
"""Put a text with its task ticked into a draft."""


def update(visit: Visit, ask: Ask) -> Message:
    """Change a message, or the text of a comment; raises NotFound, or Invalid for a comment without text."""
    store.hold(visit.transaction, visit.project_id, ask.ids["id"])
    message = one(visit, ask.ids["id"])
    ticking.check(ask, message.body)
    draft = ask.draft_of(Message)
    after = draft.over(message)
    if message.parent_id and not after.body.strip():
        raise Invalid("Body can't be blank")
    # A comment goes by its parent's title, whatever is sent.
    title = message.title if message.parent_id else after.title
    html = rendering.render_sent(visit, draft.get(Message.body), message.body_html)
    store.change(visit.transaction, message, title=title, body=after.body, body_html=html)
    after = changed(after, title=title)
    events.record(visit, Type.MESSAGE_UPDATED, message.id, changes=events.compared(message, after))
    return _whole(visit, ask.ids["id"])


def delete(visit: Visit, ask: Ask) -> None:
    """Remove a message with its comments, or a comment; raises NotFound."""
    message = one(visit, ask.ids["id"])
    if not store.remove(visit.transaction, message):
        raise NotFound
    events.forget(visit, "message", message.id)
    events.record(visit, Type.MESSAGE_DELETED, message.id)


def _whole(visit: Visit, message_id: int) -> Message:
    message = one(visit, message_id)
    if message.parent_id:
        return message
    return comments.on(visit.transaction, visit.project_id, [message])[0]
