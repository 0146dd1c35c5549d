"""Summaries and descriptions of routes, extracted from the docstrings of the use cases."""

import inspect
import re
from collections.abc import Callable

from skerry.web.responses import answer

_NUMBERS = {kind.__name__: status[:3] for kind, status in answer.STATUSES.items()}
_NAMES = re.compile(rf"\b({'|'.join(_NUMBERS)})\b")


def summary(work: Callable[..., object]) -> str:
    """Return the first clause of a use case's docstring."""
    return _promise(work)[0]


def description(work: Callable[..., object]) -> str:
    """Return the rest of a use case's docstring, with errors replaced by statuses."""
    said = " ".join(_promise(work)[1].split()).replace("``", "`")
    said = re.sub(r"\braises\b", "answers", re.sub(r"\bRaises\b", "Answers", said))
    said = _NAMES.sub(lambda match: _NUMBERS[match[1]], said)
    # The list of responses already says this.
    return "" if re.fullmatch(r"Answers [0-9]{3}( or [0-9]{3})?\.", said) else said


def _promise(work: Callable[..., object]) -> tuple[str, str]:
    first, _, rest = (inspect.getdoc(work) or "").partition("\n\n")
    head, semicolon, errors = first.partition("; raises")
    return head.removesuffix("."), f"Raises{errors} {rest}" if semicolon else rest


def first_line(kind: type) -> str:
    """Return the first paragraph of a class's docstring."""
    return (inspect.getdoc(kind) or "").partition("\n\n")[0]


ABOUT = """\
An issue tracker over REST, in JSON and XML.

**Formats.** Every address answers in both formats. `Accept` or `Content-Type` chooses. The ending `.json`
or `.xml` on the path does the same and takes precedence: `/projects/3/tickets.xml` is
`/projects/3/tickets` in XML. A request with neither gets JSON if it has a token or a password, and a page
otherwise. `/openapi.json` describes the bodies in JSON, `/openapi-xml.json` those in XML. JSON names have
underscores, XML names hyphens; XML elements carry `type` (`integer`, `boolean`, `datetime`, `array`), and
null is `nil="true"`. Requests can be JSON, XML or form fields (`ticket[title]`), with names of either
spelling; fields that cannot be set are ignored.

**Numbers in paths** may be followed by a hyphen and any words: `/projects/3-roof/tickets/9-it-leaks`.

**Credentials.** Basic authentication with login and password, or with a token and the password `x`; a token
in the header `X-ServiceToken`, as `Bearer`, or as the parameter `_token`. Public projects can be read
without any. Resources that a caller may not see are answered with 404.

**Errors** are sentences for people, in the caller's format.

**Pages.** Long lists have `page` and `limit`; the headers `X-Total-Count` and `Link` describe the
position of a page.

**Safe repetition.** `If-None-Match` with an `ETag` answers 304. `If-Match` on a change answers 412 if
somebody else has changed it. A POST or PUT with an `Idempotency-Key` is carried out once, even if it is
sent repeatedly, if its description names that header.

**Methods.** HEAD works where GET does. Tools that can only POST name another method in the header
`X-HTTP-Method-Override` or the parameter `_method`.
"""
