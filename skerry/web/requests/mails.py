"""The content of a request with a raw mail as its body."""

from dataclasses import replace
from hashlib import sha256

from skerry.database.database import Database
from skerry.errors import BadRequest
from skerry.mail.incoming import delivery
from skerry.settings import Settings
from skerry.tracker.context import Params
from skerry.tracker.incoming_files import Incoming
from skerry.web.bodies import Body
from skerry.web.requests import parameters
from skerry.web.requests.parameters import RoutedRequest

MESSAGE = "message/rfc822"


def prepared(
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
