"""Private preferences of people: how the server addresses them."""

from skerry.errors import Invalid, NotFound
from skerry.languages import LANGUAGES
from skerry.resources.people.preferences import Preferences
from skerry.store.people import preferences as store
from skerry.store.people import users
from skerry.text.time_zones import is_zone
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import frequency
from skerry.wire.record import changed


def get(context: Context, _params: Params) -> Preferences:
    """Return the preferences of the caller; raises NotFound for a caller without a login."""
    found = store.of_user(context.transaction, context.author.user_id)
    if found is None:
        raise NotFound("There is no such login")
    return changed(found, mail=frequency.of_user(context.transaction, context.author.user_id))


def update(context: Context, params: Params) -> Preferences:
    """Change the preferences of the caller; raises Invalid for an invalid value."""
    users.lock(context.transaction, context.author.user_id)
    new = params.draft_of(Preferences).over(get(context, params))
    if new.language and new.language not in LANGUAGES:
        raise Invalid(f"Language is not one of {', '.join(LANGUAGES)}")
    if new.time_zone and not is_zone(new.time_zone):
        raise Invalid("Time zone must be a name such as Europe/Berlin")
    transaction, user_id = context.transaction, context.author.user_id
    store.change(transaction, user_id, language=new.language, time_zone=new.time_zone)
    frequency.change(transaction, user_id, new.mail, new.time_zone)
    # The new values are private, so the event omits them.
    events.record(context, Type.USER_UPDATED, context.author.user_id)
    return get(context, params)
