"""The routes, pages and forms of messages and their comments."""

from skerry.resources.messages import Comment, Message
from skerry.tracker import held_texts, messages
from skerry.tracker.changes import task_boxes
from skerry.tracker.earlier_texts import delete_of_message
from skerry.web.route import COMMENT, CONTRIBUTE, EMPTY, PAGE, PROJECT, VIEW, Parts, Route
from skerry.web.routes import earlier_texts
from skerry.web.routes.page import Form, Page
from skerry.web.site.pages import messages as message_pages

MESSAGES = f"{PROJECT}/messages"
MESSAGE = f"{MESSAGES}/{{id}}"
COMMENTS = f"{MESSAGE}/comments"

ROUTES: tuple[Route, ...] = (
    Route("GET", MESSAGES, messages.list_all, VIEW, Message, PAGE, whole=True),
    Route("POST", MESSAGES, messages.create, CONTRIBUTE, Message, location=MESSAGE, draft=Message),
    Route("GET", f"{MESSAGES}/new", messages.new, CONTRIBUTE, Message),
    Route("GET", MESSAGE, messages.get, VIEW, Message, parts=Parts(COMMENTS, "replies")),
    Route("DELETE", MESSAGE, messages.delete, CONTRIBUTE, Message, EMPTY),
    Route("GET", COMMENTS, messages.commented, VIEW, Message, PAGE, whole=True),
    Route(
        "POST",
        COMMENTS,
        messages.comment,
        COMMENT,
        Message,
        location=MESSAGE,
        draft=Comment,
        hold=held_texts.hold_message_comment,
    ),
    *(
        Route(
            method,
            MESSAGE,
            messages.update,
            CONTRIBUTE,
            Message,
            draft=Message,
            extra_params=task_boxes.PARAMETERS,
            prepare=messages.prepare,
        )
        for method in ("PUT", "POST")
    ),
    *earlier_texts.routes(MESSAGE, delete_of_message, CONTRIBUTE),
)

PAGES: tuple[Page, ...] = (
    Page(MESSAGES, "messages.html", message_pages.list_all),
    Page(f"{MESSAGES}/new", "message_new.html", message_pages.new, CONTRIBUTE),
    Page(MESSAGE, "message.html", message_pages.get),
    Page(f"{MESSAGE}/text", "text.html", message_pages.text),
    Page(f"{MESSAGE}/texts", "earlier_texts.html", message_pages.earlier_texts),
    Page(f"{MESSAGE}/edit", "message_edit.html", message_pages.edit, CONTRIBUTE),
    Page(f"{MESSAGE}/delete", "message_delete.html", message_pages.edit, CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    Form("POST", MESSAGES, page=f"{MESSAGES}/new"),
    Form("PUT", MESSAGE, page=f"{MESSAGE}/edit", then=MESSAGE, guard=message_pages.check_seen),
    Form("DELETE", MESSAGE, page=f"{MESSAGE}/delete", then=MESSAGES),
    Form("POST", f"{MESSAGE}/comments", page=MESSAGE, then=f"{MESSAGES}/{{id}}#comment-{{id}}"),
    earlier_texts.form(MESSAGE),
)
