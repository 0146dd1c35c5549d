"""The routes, pages and forms of people as others see them, and a person's own profile."""

from skerry.resources.people import Preferences, User
from skerry.resources.sending import Feed
from skerry.tracker.people import avatars, preferences, users
from skerry.tracker.sending import feeds
from skerry.web.route import (
    CAPABILITY_LINK,
    EMPTY,
    FILE,
    IN_PERSON,
    LIST,
    PUBLIC,
    SIGNED_IN,
    ResponseKind,
    Route,
)
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import profile
from skerry.web.site.pages import users as user_pages

AVATAR = "/avatars/{code}"
PREFERENCES = "/profile/preferences"
OWN_AVATAR = "/profile/avatar"
USER = "/users/{id}"
FEEDS = "/profile/feeds"
FEED = f"{FEEDS}/{{id}}"
PROFILE = "/profile"

ROUTES: tuple[Route, ...] = (
    Route("GET", USER, users.get, SIGNED_IN, User),
    Route("POST", USER, users.update, SIGNED_IN, User, draft=User),
    Route("PUT", USER, users.update, SIGNED_IN, User, draft=User),
    Route("GET", PROFILE, users.profile, SIGNED_IN, User),
    Route("POST", PROFILE, users.update_profile, SIGNED_IN, User, draft=User),
    Route("PUT", PROFILE, users.update_profile, SIGNED_IN, User, draft=User),
    Route("GET", PREFERENCES, preferences.get, IN_PERSON, Preferences),
    Route("PUT", PREFERENCES, preferences.update, IN_PERSON, Preferences, draft=Preferences),
    Route("PUT", OWN_AVATAR, avatars.replace, SIGNED_IN, User, files=True),
    Route("DELETE", OWN_AVATAR, avatars.remove, SIGNED_IN, User, EMPTY),
    Route("GET", AVATAR, avatars.found, PUBLIC, User, FILE),
    Route("GET", FEEDS, feeds.list_all, IN_PERSON, Feed, LIST),
    Route("POST", FEEDS, feeds.create, IN_PERSON, Feed, location=FEED, draft=Feed, once=True),
    Route("GET", FEED, feeds.get, IN_PERSON, Feed),
    Route("DELETE", FEED, feeds.delete, IN_PERSON, Feed, EMPTY),
    Route("GET", "/feeds/{code}", feeds.read, CAPABILITY_LINK, Feed, ResponseKind.FEED, quick=False),
)

PAGES: tuple[Page, ...] = (
    Page(USER, "user.html", user_pages.get, SIGNED_IN),
    Page(PROFILE, "profile.html", profile.get, IN_PERSON),
    Page(FEEDS, "feeds.html", profile.list_feeds, IN_PERSON),
)

FORMS: tuple[Form, ...] = (
    Form("PUT", PROFILE, page=PROFILE, then=f"{PROFILE}?{SAVED}", guard=profile.check_seen),
    Form("POST", FEEDS, page=FEEDS),
    Form("DELETE", FEED, page=FEEDS, then=FEEDS),
    Form("PUT", PREFERENCES, page=PROFILE, then=f"{PROFILE}?{SAVED}"),
    Form("PUT", OWN_AVATAR, page=PROFILE, then=f"{PROFILE}#picture"),
    Form("DELETE", OWN_AVATAR, page=PROFILE, then=f"{PROFILE}#picture"),
)
