"""Roundup as a WSGI program, as its documentation says; ``TRACKER_HOME`` is the tracker's folder."""

import os

from roundup.cgi.wsgi_handler import RequestDispatcher

app = RequestDispatcher(os.environ["TRACKER_HOME"], feature_flags={"cache_tracker": ""})
