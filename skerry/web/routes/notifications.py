"""The routes, pages and forms of notifications, and how much a person wants to be told."""

from skerry.resources.notifications import Marking, Mute, Notification, NotificationSettings
from skerry.tracker.notifications import inbox, levels
from skerry.web.route import COMMENT, PAGE, PROJECT, SIGNED_IN, TICKET, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import notifications

LEVEL = f"{PROJECT}/notification_settings"
MUTE = f"{TICKET}/mute"
NOTIFICATIONS = "/notifications"
NOTIFICATION = f"{NOTIFICATIONS}/{{id}}"
READ = f"{NOTIFICATIONS}/read"
READ_UNDO = f"{READ}/{{id}}/undo"

ROUTES: tuple[Route, ...] = (
    Route("GET", LEVEL, levels.get, COMMENT, NotificationSettings),
    Route("PUT", LEVEL, levels.update, COMMENT, NotificationSettings, draft=NotificationSettings),
    Route("GET", MUTE, levels.get_mute, COMMENT, Mute),
    Route("PUT", MUTE, levels.mute, COMMENT, Mute, draft=Mute),
    Route(
        "GET",
        NOTIFICATIONS,
        inbox.list_all,
        SIGNED_IN,
        Notification,
        PAGE,
        whole=True,
        extra_params=("unread", "snoozed", *inbox.FILTERS),
    ),
    Route("POST", READ, inbox.read_all, SIGNED_IN, Marking, extra_params=(inbox.UP_TO, *inbox.FILTERS)),
    Route("POST", READ_UNDO, inbox.unread_again, SIGNED_IN, Marking),
    Route("GET", NOTIFICATION, inbox.get, SIGNED_IN, Notification),
    Route("PUT", NOTIFICATION, inbox.update, SIGNED_IN, Notification, draft=Notification),
)

PAGES: tuple[Page, ...] = (Page(NOTIFICATIONS, "notifications.html", notifications.list_all, SIGNED_IN),)

FORMS: tuple[Form, ...] = (
    Form("PUT", NOTIFICATION, page=NOTIFICATIONS, then=NOTIFICATIONS),
    Form("POST", READ, page=NOTIFICATIONS, then=f"{NOTIFICATIONS}?marked={{id}}&count={{count}}"),
    Form("POST", READ_UNDO, page=NOTIFICATIONS, then=NOTIFICATIONS),
    Form("PUT", LEVEL, page=PROJECT, then=f"{PROJECT}?{SAVED}"),
    Form("PUT", MUTE, page=TICKET, then=TICKET),
)
