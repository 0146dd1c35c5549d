"""What every answer tells browsers about itself, and what no page does."""

import pytest

PLACES = ("/", "/sign-in", "/projects", "/projects.json", "/nowhere", "/static/nowhere", "/static/")


@pytest.mark.parametrize("path", PLACES)
def test_every_answer_says_what_it_may_load_and_where_it_may_stand(surfing, ada, path):
    headers = surfing(ada).get(path).headers
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'; base-uri 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_pages_load_and_run_only_what_this_site_serves(surfing, ada):
    policy = surfing(ada).get("/projects").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "form-action 'self'" in policy


def test_no_folder_is_listed(surfing):
    assert [surfing().get(path).status for path in ("/static/", "/static", "/attachments/")] == [404] * 3


def test_a_password_is_hidden_and_known_to_password_managers(surfing):
    page = surfing().get("/sign-in").source
    assert '<input type="password" name="password"' in page
    assert 'autocomplete="current-password"' in page
