"""The content of pages."""

from typing import Any

Content = dict[str, Any]
"""What a page shows, by the names in its template; from here on Jinja looks at it, which knows no types."""
