"""Bodies that are used as they were sent: mails, and pushes of forges, signed over the raw bytes."""

from dataclasses import replace
from hashlib import sha256

from falcon.asgi import Request

from skerry.database.database import Database
from skerry.errors import BadRequest
from skerry.mail.incoming import delivery
from skerry.settings import Settings
from skerry.tracker.context import Params
from skerry.tracker.forges.payloads import HEADERS, SentPush
from skerry.tracker.incoming_files import Incoming
from skerry.web.bodies import Body
from skerry.web.requests import parameters
from skerry.web.requests.parameters import RoutedRequest

MESSAGE = "message/rfc822"


def with_mail(
    routed: RoutedRequest,
    body: Body,
    incoming: Incoming,
    database: Database,
    settings: Settings,
    account_id: int,
) -> tuple[Params, str]:
    """Parse the mail and store its files; return the parameters, and a checksum of the mail.

    Only addresses of the account are considered. Raises BadRequest if there is no mail.
    """
    if body.content is None:
        raise BadRequest(f"Send the mail unchanged, as {MESSAGE}")
    body.content.seek(0)
    raw = body.content.read()
    beside = parameters.extra_params_in_query(routed.route, routed.params)
    recipients = str(beside.get("to", "")).replace(",", " ").split()
    return_path = str(beside["from"]) if "from" in beside else None
    mail, targets = delivery.read(raw, settings, database, recipients, return_path)
    own = [target for target in targets if target.account_id == account_id]
    draft = {"delivery": delivery.with_files(mail, own, settings, database, incoming)}
    return replace(routed.params, draft=draft, extra_params=beside), sha256(raw).hexdigest()


def with_push(params: Params, request: Request, body: Body) -> Params:
    """Return the parameters with the push as it was sent; raises BadRequest if there is none."""
    if body.content is None:
        raise BadRequest("Send the push as JSON")
    body.content.seek(0)
    sent = {name.lower(): value for name, value in request.headers.items() if name.lower() in HEADERS}
    return replace(params, draft={"push": SentPush(body.content.read(), sent)})
