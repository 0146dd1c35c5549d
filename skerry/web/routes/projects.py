"""The routes, pages and forms of projects, their settings, states and tags, and what happens in them."""

from skerry.resources.activities import Activity
from skerry.resources.events import Event
from skerry.resources.projects import Project, ProjectSettings, State, Tag
from skerry.tracker import activities, administration, projects, settings, states, tags
from skerry.tracker.events import event_lists
from skerry.web.route import (
    CREATE_PROJECT,
    EMPTY,
    EVENTS,
    LIST,
    PAGE,
    PROJECT,
    PUBLIC,
    UNARCHIVE,
    VIEW,
    Route,
)
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import activities as activity_pages
from skerry.web.site.pages import dashboard
from skerry.web.site.pages import projects as project_pages
from skerry.web.site.pages import settings as settings_pages

SETTINGS = f"{PROJECT}/settings"
_AFTER = ("after",)

ROUTES: tuple[Route, ...] = (
    Route("GET", "/projects", projects.list_all, PUBLIC, Project, LIST),
    Route(
        "POST",
        "/projects",
        projects.create,
        CREATE_PROJECT,
        Project,
        location="/projects/{id}",
        draft=Project,
        first=administration.lock,
    ),
    Route("GET", "/projects/new", projects.new, CREATE_PROJECT, Project),
    Route("GET", PROJECT, projects.get, VIEW, Project),
    Route("PUT", PROJECT, projects.update, UNARCHIVE, Project, draft=Project, exclusive=True),
    Route("DELETE", PROJECT, projects.delete, UNARCHIVE, Project, EMPTY, exclusive=True),
    Route("GET", SETTINGS, settings.get, UNARCHIVE, ProjectSettings),
    Route(
        "PUT",
        SETTINGS,
        settings.update,
        UNARCHIVE,
        ProjectSettings,
        draft=ProjectSettings,
        first=settings.lock,
        exclusive=True,
    ),
    Route(
        "GET",
        "/activity",
        activities.list_across_projects,
        PUBLIC,
        Activity,
        PAGE,
        whole=True,
        extra_params=activities.FILTERS_ACROSS_PROJECTS,
        quick=False,
    ),
    Route(
        "GET",
        f"{PROJECT}/activity",
        activities.list_all,
        VIEW,
        Activity,
        PAGE,
        whole=True,
        extra_params=activities.FILTERS,
        quick=False,
    ),
    Route(
        "GET",
        "/events",
        event_lists.list_across_projects,
        PUBLIC,
        Event,
        EVENTS,
        extra_params=_AFTER,
        quick=False,
    ),
    Route(
        "GET",
        f"{PROJECT}/events",
        event_lists.list_all,
        VIEW,
        Event,
        EVENTS,
        extra_params=_AFTER,
        quick=False,
    ),
    Route("GET", f"{PROJECT}/states", states.list_all, VIEW, State, LIST),
    Route("GET", f"{PROJECT}/tags", tags.list_all, VIEW, Tag, LIST),
)

PAGES: tuple[Page, ...] = (
    Page("/", "dashboard.html", dashboard.get, PUBLIC),
    Page("/menu", "menu.html", dashboard.menu, PUBLIC),
    Page("/projects", "projects.html", project_pages.list_all, PUBLIC),
    Page("/projects/new", "project_new.html", project_pages.new, CREATE_PROJECT),
    Page(PROJECT, "project.html", project_pages.get),
    Page(SETTINGS, "settings.html", settings_pages.get, UNARCHIVE),
    Page(f"{PROJECT}/tags", "tags.html", project_pages.tags_of_project),
    Page("/activity", "activity.html", activity_pages.list_across_projects, PUBLIC),
    Page(f"{PROJECT}/activity", "activity.html", activity_pages.list_all),
)

FORMS: tuple[Form, ...] = (
    Form("POST", "/projects", page="/projects/new"),
    Form("DELETE", PROJECT, page=SETTINGS, then="/projects", guard=settings_pages.check_name),
    Form(
        "PUT",
        SETTINGS,
        page=SETTINGS,
        then=f"{SETTINGS}?{SAVED}",
        guard=settings_pages.check_seen,
        composed=settings_pages.composed,
    ),
)
