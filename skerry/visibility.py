"""Whether people can see a name, in any script."""

import re
import unicodedata

# Letters and signs that fonts leave empty: fillers of Hangul, the empty braille pattern, a note without a
# head, blanks of hieroglyphs, the place of an object; and what is reserved for invisible characters.
_EMPTY = frozenset("\u115f\u1160\u2065\u2800\u3164\uffa0\ufffc\U0001d159\U00013441\U00013442")
_RESERVED = re.compile("[\ufff0-\ufff8\ufffe\uffff\U000e0000-\U000e0fff]")


def is_visible(text: str) -> bool:
    """Return whether a text contains a character that people can see, and so click.

    Blanks, control and format characters, fillers, and marks without a letter are none. Characters that this
    version of Unicode does not know yet may be new emoji.
    """
    return any(map(_is_seen, text))


def _is_seen(character: str) -> bool:
    category = unicodedata.category(character)
    return (
        (category[0] in "LNPS" or category in {"Cn", "Co"})
        and character not in _EMPTY
        and not _RESERVED.match(character)
    )
