"""Private preferences of people: language, time zone and mail frequency."""

from skerry.errors import Invalid, NotFound
from skerry.languages import LANGUAGES
from skerry.resources.people import Preferences
from skerry.store.mail import mail_preferences
from skerry.store.people import preferences as store
from skerry.store.people import users as user_store
from skerry.text.time_zones import is_zone
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import frequency, users
from skerry.wire.record import changed


def get(context: Context, _params: Params) -> Preferences:
    """Return the preferences of the caller; raises NotFound for a caller without a login."""
    settings = store.of_user(context.transaction, context.author.user_id)
    if settings is None:
        raise NotFound("There is no such login")
    transaction, user_id = context.transaction, context.author.user_id
    return changed(
        settings,
        due_reminders=frequency.wants_reminders(transaction, user_id),
        mail=frequency.of_user(transaction, user_id),
    )


def update(context: Context, params: Params) -> Preferences:
    """Change the preferences of the caller.

    Raises Invalid for an invalid value, Forbidden for a value that all accounts share, as
    ``refuse_account_password`` does.
    """
    user_store.lock(context.transaction, context.author.user_id)
    before = get(context, params)
    new = params.draft_of(Preferences).over(before)
    if new == before:
        return before
    if changed(new, mail=before.mail, due_reminders=before.due_reminders) != before:
        users.refuse_account_password(context)
    if new.language and new.language not in LANGUAGES:
        raise Invalid(f"Language is not one of {', '.join(LANGUAGES)}")
    if new.time_zone and not is_zone(new.time_zone):
        raise Invalid("Time zone must be a name such as Europe/Berlin")
    transaction, user_id = context.transaction, context.author.user_id
    store.change(transaction, user_id, language=new.language, time_zone=new.time_zone)
    frequency.change(transaction, user_id, new.mail, new.time_zone)
    mail_preferences.remind(transaction, user_id, wanted=new.due_reminders)
    # The new values are private, so the event omits them.
    events.record(context, Type.USER_UPDATED, context.author.user_id)
    return get(context, params)
