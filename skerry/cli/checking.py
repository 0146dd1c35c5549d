"""Check an installation."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from shlex import quote

import click

from skerry.cli.options import check_there, settings_now
from skerry.database.database import Database
from skerry.errors import Conflict, NotFound, SkerryError, Unavailable, in_words
from skerry.failures import Failures
from skerry.files import folder_lock
from skerry.files.blobs import Blobs
from skerry.mail import smtp
from skerry.mail.incoming import imap, lmtp
from skerry.mail_settings import Mailbox
from skerry.oidc_settings import ProviderSettings
from skerry.openid.answers import ProviderDown
from skerry.sealing.key_ring import SETTING, check_private
from skerry.settings import Settings
from skerry.store import accounts, schema, sealed_columns
from skerry.store.auth import identities
from skerry.store.checks.recount import recount
from skerry.store.project_removals import remove_all_incomplete
from skerry.store.sending import backlogs
from skerry.text.numbers import counted
from skerry.tracker import secret_keys

Check = Callable[[], Iterable[str]]
"""A check: yields a message for each thing that works; raises an exception for one that does not."""


@click.command()
@click.option("--deep", is_flag=True, help="Also verify all stored data.")
def check(deep: bool) -> None:
    """Check the settings, the database, the files and the mail.

    Sends nothing. Prints an error and exits with code 1 if anything is wrong.
    """
    settings = settings_now()
    click.echo("settings: ok")
    if not os.access(settings.data, os.W_OK | os.X_OK):
        raise NotFound(f"The data folder {settings.data} does not exist or is not writable")
    click.echo(f"data folder: {settings.data} is writable")
    blobs = Blobs(settings.data, settings.blobs)
    wrong = [
        *_tried("files", lambda: _files(blobs)),
        *_tried("mail", lambda: _mail(settings)),
        *_tried("mail in", lambda: _mail_in(settings)),
        *(
            wrong
            for each in settings.providers
            for wrong in _tried(f"sign-in with {each.name}", partial(_provider, settings, each))
        ),
    ]
    with closing(Database(settings.database)) as database:
        wrong += _tried("database", lambda: _database(settings, database)) or _tried(
            "schema", lambda: _schema(database)
        )
        database.keys = settings.keys
        if not wrong:
            wrong += _tried("secrets", lambda: _secrets(database))
            wrong += _tried("single sign-on", lambda: _single_sign_on(settings, database))
        if wrong:
            raise Conflict(wrong)
        _print_backlog(database)
        if deep:
            compare(database, blobs)


def _tried(name: str, work: Check) -> list[str]:
    """Run the check of a part of the installation and print what works; return what does not."""
    try:
        for sentence in work():
            click.echo(f"{name}: {sentence}")
    except Unavailable as error:
        said = str(error)
        wrong = f"The database does not respond: {error.reason}" if said == error.default else said
    except (SkerryError, OSError) as error:
        wrong = str(error)
    else:
        return []
    click.echo(f"{name}: failed")
    return [wrong]


def _files(blobs: Blobs) -> Iterator[str]:
    blobs.check()
    yield f"{blobs.place} is writable"


def _mail(settings: Settings) -> Iterator[str]:
    """Connect to the mail server as the sender does, without sending anything."""
    if settings.mail is None:
        yield "off"
        return
    server = settings.mail.server
    try:
        with smtp.connect(server):
            yield f"{server.host}:{server.port} accepts mails"
    except smtp.ServerDown as error:
        raise Conflict(
            f"The mail server {server.host}:{server.port} does not accept mails: {error}"
        ) from error
    if not settings.base_url:
        yield "only accounts with a host send mail, because SKERRY_BASE_URL is not set"


def _mail_in(settings: Settings) -> Iterator[str]:
    """Check how incoming mail is received, and which server verifies senders."""
    if settings.mailbox:
        yield _read_mailbox(settings.mailbox)
    if settings.lmtp:
        yield _reach_listener(settings)
    if not settings.mail_host:
        yield "off, because SKERRY_MAIL_HOST is not set"
        return
    way = "through a pipe or POST /mail"
    if settings.mail_in:
        way = f"from {settings.mailbox.place}" if settings.mailbox else f"by LMTP at {settings.lmtp}"
    trusted = settings.mail_authserv or "nobody"
    yield f"for {settings.mail_host} {way}; {trusted} is trusted to verify senders"
    if not settings.mail_authserv:
        yield "members cannot open tickets by mail, because SKERRY_MAIL_AUTHSERV is not set"


def _read_mailbox(mailbox: Mailbox) -> str:
    try:
        with imap.connect(mailbox, only_look=True) as connection:
            connection.waiting()
    except imap.MailboxDown as error:
        raise Conflict(f"Mails cannot be fetched from {mailbox.place}: {error}") from error
    return f"{mailbox.place} can be read"


def _reach_listener(settings: Settings) -> str:
    if not folder_lock.is_held(settings.data):
        return f"nobody listens at {settings.lmtp}, because the server is not running"
    try:
        lmtp.greet(settings.lmtp)
    except OSError as error:
        known = Failures(settings.data).all().get(lmtp.NAME)
        said = known or f"Nobody receives mail at {settings.lmtp}: {in_words(error)}"
        raise Conflict(said) from error
    return f"the server listens at {settings.lmtp}"


def _provider(settings: Settings, provider: ProviderSettings) -> Iterator[str]:
    """Ask a provider what it says about itself, and for its keys."""
    from skerry.openid import providers  # noqa: PLC0415 - needs memory

    try:
        count = providers.count_keys(provider)
    except ProviderDown as error:
        raise Conflict(f"Nobody can sign in with {provider.label}: {error}") from error
    yield counted(f"{provider.issuer} has {{n}} {{key|keys}}", count)
    yield f"it must know the address {settings.base_url or 'https://…'}/sign-in/with/{provider.name}/return"


def _single_sign_on(settings: Settings, database: Database) -> Iterator[str]:
    """Name the accounts that demand a provider; raise Conflict if there is none for one of them."""
    with database.read() as transaction:
        demanding = [each for each in accounts.list_all(transaction) if each.single_sign_on]
    for account in demanding:
        if not any(account.host is None or each.is_at(account.host) for each in settings.providers):
            back = f"skerry account allow-passwords --account {quote(account.name)}"
            raise Conflict(
                f"Members of {account.name} cannot sign in: it requires a provider, and none is set up "
                f"for it. Set one up, or let passwords work again: {back}"
            )
        yield f"members of {account.name} sign in with a provider only"
    yield from _other_issuers(settings, database)


def _other_issuers(settings: Settings, database: Database) -> Iterator[str]:
    """Name the links that sign nobody in, because the issuer in the settings is another one now."""
    issuers = {each.name: each.issuer for each in settings.providers}
    with database.read() as transaction:
        linked = identities.linked(transaction)
    for each in linked:
        if each.issuer and each.issuer != issuers.get(each.provider, each.issuer):
            sentence = f"{{n}} {{link|links}} with {each.provider} {{signs|sign}} nobody in"
            yield f"{counted(sentence, each.number)}; the issuer was {each.issuer} before"


def _database(settings: Settings, database: Database) -> Iterator[str]:
    check_there(settings)
    schema.pending(database)
    yield "ok"


def _schema(database: Database) -> Iterator[str]:
    missing = schema.pending(database)
    if missing:
        lacks = counted("The database lacks {n} {migration|migrations}", len(missing))
        raise Conflict(f"{lacks}, up to {missing[-1]}; start the server, or run 'skerry migrate'")
    yield "up to date"


def _secrets(database: Database) -> Iterator[str]:
    """Yield which key encrypts secrets in the database; raise Conflict if it is missing or another one."""
    keys = database.keys
    if warning := secret_keys.missing(database):
        raise Conflict(warning)
    with database.read() as transaction:
        needed = sealed_columns.key_ids(transaction)
        plain = sealed_columns.accounts_with_plain(transaction)
    if plain:
        yield "some are not encrypted yet; the server does it when it starts"
    if keys.is_in_file and keys.texts_in_file():
        check_private(keys)
        yield f"the key is in {keys.file}, which no backup has; keep a copy elsewhere"
        yield f"several servers must share {SETTING}, which is not set"
    elif not keys.is_in_file:
        yield f"the key is in {SETTING}, which no backup has; all servers must have the same"
    if needed and needed != {keys.ids()[0]}:
        yield "there is a newer key, which encrypts nothing before 'skerry secrets rotate'"


def _print_backlog(database: Database) -> None:
    """Print the backlog, if there is any; it does not count as an error."""
    with database.read() as transaction:
        backlog = backlogs.total(transaction)
    for sentence, count in (
        ("events: {n} {is|are} not read yet", sum(backlog.readers.values())),
        ("hooks: {n} {event waits|events wait}", backlog.hook_events),
        ("hooks: {n} {is|are} failing", backlog.hooks["failing"]),
        ("hooks: {n} {is|are} off", backlog.hooks["off"]),
        ("mail: {n} {mail waits|mails wait}", backlog.mails["waiting"]),
        ("mail: {n} {mail was|mails were} refused", backlog.mails["refused"]),
        ("sending: paused in {n} {account|accounts}", backlog.paused),
    ):
        if count:
            click.echo(counted(sentence, count))


def compare(database: Database, blobs: Blobs) -> None:
    """Verify all stored data and print the result of each check; raise Conflict if there are differences."""
    with blobs.prevent_removal(wait=False) as is_locked:
        if is_locked and (removed := remove_all_incomplete(database)):
            click.echo(counted("imports that have not ended: removed {n} {project|projects}", removed))
    total = 0
    for compared in recount(database, blobs):
        count = 0
        for sentence in _readable(compared.differences):
            click.echo(f"  {sentence}")
            count += 1
        click.echo(f"{compared.title}: {f'differences: {count}' if count else 'ok'}")
        total += count
    if total:
        raise Conflict(f"The check found differences: {total}")


def _readable(differences: Iterator[str]) -> Iterator[str]:
    """Yield the messages of a check; an error in it counts as a difference."""
    try:
        yield from differences
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # SQLite stores a text in an integer column if someone puts it there by hand.
        yield f"Some data cannot be read: {error}"
