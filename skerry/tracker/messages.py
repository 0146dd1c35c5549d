"""Messages of a project, and their comments."""

from skerry.errors import Invalid, NotFound
from skerry.resources.messages import Comment, Message
from skerry.store import comments
from skerry.store import messages as store
from skerry.store.comments import LastComment
from skerry.text.slugs import permalink
from skerry.tracker.changes import task_boxes
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.texts import rendering
from skerry.visibility import is_visible
from skerry.wire import budget
from skerry.wire.record import changed


def list_all(context: Context, params: Params) -> ResultPage[Message]:
    """Return a page of the project's messages with their comments, the last changed first."""
    page = params.page
    messages = comments.with_messages(
        context.transaction, context.project_id, limit=page.limit, offset=page.offset
    )
    return ResultPage(Message, messages, store.count(context.transaction, context.project_id))


def list_without_comments(context: Context, page: RequestedPage) -> ResultPage[Message]:
    """Return a page of the project's messages without the comments on them, the last changed first."""
    messages = store.page(context.transaction, context.project_id, limit=page.limit, offset=page.offset)
    return ResultPage(Message, messages, store.count(context.transaction, context.project_id))


def last_comments(context: Context, messages: list[Message]) -> dict[int, LastComment]:
    """Return the last comment on each message of the project that has one, by the message's id."""
    commented = [message.id or 0 for message in messages if message.comments_count]
    return comments.last(context.transaction, context.project_id, commented) if commented else {}


def newest(context: Context) -> Message | None:
    """Return the message of the project that was changed last, without its comments."""
    messages = store.page(context.transaction, context.project_id, limit=1, offset=0)
    return messages[0] if messages else None


def get(context: Context, params: Params) -> Message:
    """Return a message with its comments, or a comment, which has none; raises NotFound."""
    return _whole(context, params.ids["id"])


def one(context: Context, message_id: int) -> Message:
    """Return a message or a comment, without comments on it; raises NotFound."""
    message = store.one(context.transaction, context.project_id, message_id)
    if message is None:
        raise NotFound("There is no such message in this project")
    return message


def with_page(context: Context, message: Message, page: RequestedPage) -> tuple[Message, list[Message]]:
    """Return a message of the project and a page of its comments, oldest first, within the size limit."""
    (shown,), room = comments.leaving_room([message])
    return shown, _comments(context, message, page, room)


def _comments(context: Context, message: Message, page: RequestedPage, room: int) -> list[Message]:
    here = {"limit": page.limit, "offset": page.offset, "room": room}
    return comments.page(context.transaction, context.project_id, message.id or 0, **here)


def commented(context: Context, params: Params) -> ResultPage[Message]:
    """Return a page of the comments on a message, oldest first; raises NotFound."""
    message = one(context, params.ids["id"])
    return ResultPage(Message, _comments(context, message, params.page, budget.MAX), message.comments_count)


def page_with(context: Context, comment: Message, limit: int) -> RequestedPage:
    """Return the number of the page that contains a comment, given the number of comments per page."""
    return RequestedPage(comments.before(context.transaction, comment) // limit + 1, limit)


def new(context: Context, _params: Params) -> Message:
    """Return a new message with its defaults."""
    return Message(project_id=context.project_id, comments=[])


def create(context: Context, params: Params) -> Message:
    """Post a message to the project."""
    new = params.draft_of(Message).new
    message_id = store.add(
        context.transaction,
        project_id=context.project_id,
        parent_id=None,
        user_id=context.author.user_id,
        title=new.title,
        permalink=permalink(new.title),
        body=new.body,
        body_html=rendering.render(context, new.body),
    )
    events.record(context, Type.MESSAGE_CREATED, message_id, changes=events.compared(Message(), new))
    return _whole(context, message_id)


def comment(context: Context, params: Params) -> Message:
    """Comment on a message; raises NotFound if there is none, or if it is a comment itself."""
    body = params.draft_of(Comment).new.body
    comment_id = store.add_comment(
        context.transaction,
        context.project_id,
        params.ids["id"],
        user_id=context.author.user_id,
        body=body,
        body_html=rendering.render(context, body),
    )
    if comment_id is None:
        raise NotFound("There is no such message in this project; a comment has no comments of its own")
    events.record(
        context,
        Type.MESSAGE_CREATED,
        comment_id,
        changes={"body": None, "parent_id": [None, params.ids["id"]]},
    )
    return one(context, comment_id)


def _body(context: Context, params: Params) -> str:
    return one(context, params.ids["id"]).body


prepare = task_boxes.prepare(Message, Message.body, _body)
"""Return a function that adds the text with its task ticked to a draft."""


def update(context: Context, params: Params) -> Message:
    """Change a message, or the text of a comment; raises NotFound, or Invalid for a comment without text."""
    store.lock(context.transaction, context.project_id, params.ids["id"])
    message = one(context, params.ids["id"])
    task_boxes.check(params, message.body)
    draft = params.draft_of(Message)
    after = draft.over(message)
    if message.parent_id and not is_visible(after.body):
        raise Invalid("Body can't be blank")
    # A comment always has its parent's title.
    title = message.title if message.parent_id else after.title
    after = changed(after, title=title)
    if (after.title, after.body) == (message.title, message.body):
        return _whole(context, params.ids["id"])
    if after.body != message.body:
        html = rendering.render_sent(context, draft.get(Message.body), message.body_html)
        store.edit(context.transaction, message, after.body, html, editor_id=context.author.user_id)
    store.change(context.transaction, message, title=title)
    events.record(context, Type.MESSAGE_UPDATED, message.id, changes=events.compared(message, after))
    return _whole(context, params.ids["id"])


def delete(context: Context, params: Params) -> None:
    """Delete a message with its comments, or a comment; raises NotFound."""
    message = one(context, params.ids["id"])
    if not store.remove(context.transaction, message):
        raise NotFound
    events.forget(context, "message", message.id)
    events.record(context, Type.MESSAGE_DELETED, message.id)


def _whole(context: Context, message_id: int) -> Message:
    message = one(context, message_id)
    if message.parent_id:
        return message
    return comments.on(context.transaction, context.project_id, [message])[0]
