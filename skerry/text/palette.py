"""The colours that are offered for states and priorities.

Each is seen on the backgrounds of both themes, with a contrast of at least 3:1, as WCAG asks of graphics.
"""

from collections.abc import Mapping

PALETTE: Mapping[str, str] = {
    "7a808a": "Grey",
    "3b78d8": "Blue",
    "17838d": "Teal",
    "2e8b57": "Green",
    "7d8420": "Olive",
    "b0741a": "Amber",
    "d0602b": "Orange",
    "d64545": "Red",
    "c9548f": "Pink",
    "8b6cd9": "Violet",
}
"""The names of the colours, by six hex digits."""
