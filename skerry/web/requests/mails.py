"""The content of a request with a raw mail as its body."""

from dataclasses import replace
from hashlib import sha256

from skerry.errors import BadRequest
from skerry.mail.incoming import delivery
from skerry.settings import Settings
from skerry.store.engine.database import Database
from skerry.tracker.incoming_files import Incoming
from skerry.web.request_state import RequestState
from skerry.web.requests import parameters

MESSAGE = "message/rfc822"


def take(
    state: RequestState, incoming: Incoming, database: Database, settings: Settings, account_id: int
) -> None:
    """Parse the mail and store its files; raises BadRequest if there is none.

    Only addresses of the account are considered.
    """
    if state.body is None or state.body.content is None:
        raise BadRequest(f"Send the mail unchanged, as {MESSAGE}")
    state.body.content.seek(0)
    raw = state.body.content.read()
    beside = parameters.extra_params_in_query(state.route, state.params)
    recipients = str(beside.get("to", "")).replace(",", " ").split()
    return_path = str(beside["from"]) if "from" in beside else None
    mail, targets = delivery.read(raw, settings, database, recipients, return_path)
    own = [target for target in targets if target.account_id == account_id]
    draft = {"delivery": delivery.with_files(mail, own, settings, database, incoming)}
    state.tree = {"mail": sha256(raw).hexdigest()}
    state.params = replace(state.params, draft=draft, extra_params=beside)
