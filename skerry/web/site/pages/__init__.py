"""The content of each page, loaded through the use cases; one module for each resource."""

from dataclasses import dataclass
from typing import Any

Content = dict[str, Any]
"""The values for a template; they are untyped, because Jinja does not use types."""


@dataclass(frozen=True)
class Elsewhere:
    """What a page returns in place of its content to redirect to another page."""

    path: str
