"""Pause and resume sending in the background."""

import click

from skerry.cli.options import Group, account_option, read_account, write_account
from skerry.database.rows import timestamp
from skerry.store.sending import leases
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind

_SECONDS = "A running server notices within seconds."


@click.group(cls=Group)
def sending() -> None:
    """Show, pause and resume the hooks and mail of an account."""


@sending.command()
@account_option
def status(account_name: str | None) -> None:
    """Show whether sending is paused, as it is after a restore."""
    with read_account(account_name) as transaction:
        since = leases.paused_at(transaction)
    said = (
        "Sending is not paused" if since is None else f"Sending is paused since {timestamp(since):%F %T} UTC"
    )
    click.echo(f"{said}.")


@sending.command()
@account_option
def pause(account_name: str | None) -> None:
    """Pause sending; nothing is lost."""
    with write_account(account_name) as transaction:
        leases.pause(transaction, paused=True)
        audit.by_command(transaction, Kind.SENDING_UPDATED, details={"paused": [False, True]})
    click.echo(f"Sending is paused. {_SECONDS}")


@sending.command()
@account_option
def resume(account_name: str | None) -> None:
    """Resume sending, beginning with what was held back."""
    with write_account(account_name) as transaction:
        leases.pause(transaction, paused=False)
        audit.by_command(transaction, Kind.SENDING_UPDATED, details={"paused": [True, False]})
    click.echo(f"Sending is resumed. {_SECONDS}")
