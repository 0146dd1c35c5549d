"""The content of pages."""

from typing import Any

Content = dict[str, Any]
"""The values for a template; they are untyped, because Jinja does not use types."""
