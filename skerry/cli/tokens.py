"""Manage tokens for scripts."""

from datetime import UTC, datetime

import click

from skerry.cli.options import (
    PROJECT,
    Group,
    account_option,
    read_account,
    somebody,
    somebody_options,
    write_account,
)
from skerry.store.auth import tokens as token_store
from skerry.tracker.audit import audit
from skerry.tracker.audit.audit import Kind
from skerry.tracker.auth import tokens

End = tuple[datetime | None, int | None]
"""The time when a token expires, or a number of days from now, or neither."""


def _end(_context: click.Context, _option: click.Parameter, value: str | None) -> End:
    if value is None:
        return None, None
    if value.isdecimal():
        return None, int(value)
    try:
        timestamp = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter("Must be a date such as 2027-01-31, or a number of days") from None
    return (timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)), None


@click.group(cls=Group)
def token() -> None:
    """Manage tokens for scripts: add, list, revoke."""


@token.command("add")
@somebody_options
@click.option("--project", "project_id", type=PROJECT, help="Limit the token to this project.")
@click.option("--read-only", is_flag=True, help="Make the token read-only.")
@click.option("--scopes", default="", help="Limit the token, such as to tickets:read,hooks:write.")
@click.option("--note", default="", help="The purpose of the token.")
@click.option(
    "--expires",
    metavar="DATE|DAYS",
    callback=_end,
    help="When the token expires: at the start of a day (2027-01-31, in UTC), or in a number of days.",
)
@account_option
def token_add(
    project_id: int | None, read_only: bool, scopes: str, note: str, expires: End, account_name: str | None
) -> None:
    """Create a token and print it; it is not shown again."""
    with write_account(account_name) as transaction:
        made = tokens.add(
            transaction,
            somebody(transaction),
            project_id=project_id,
            read_only=read_only,
            note=note,
            scopes=scopes,
            expires_at=tokens.end_of(transaction, *expires),
        )
        audit.by_command(transaction, Kind.TOKEN_CREATED, tokens.id_of(transaction, made))
    try:
        click.echo(made)
    except OSError:
        # Nobody has seen the token, so it is removed again.
        with write_account(account_name) as transaction:
            audit.by_command(transaction, Kind.TOKEN_REVOKED, tokens.revoke(transaction, made))
        raise


@token.command("list")
@account_option
def token_list(account_name: str | None) -> None:
    """List the tokens of the account.

    Each line has id, owner's id, scope, rights, state and note, separated by tabs.
    """
    with read_account(account_name) as transaction:
        tokens, now = token_store.list_all(transaction), transaction.now
    for kept in tokens:
        scope = f"project {kept.project_id}" if kept.project_id else "account"
        rights = " ".join(filter(None, ("read-only" if kept.read_only else "", kept.scopes))) or "full"
        click.echo(f"{kept.id}\t{kept.user_id}\t{scope}\t{rights}\t{kept.state(now)}\t{kept.note}")


@token.command("revoke")
@click.argument("which", metavar="TOKEN-OR-ID")
@account_option
def token_revoke(which: str, account_name: str | None) -> None:
    """Revoke a token immediately, by its value or its id."""
    with write_account(account_name) as transaction:
        audit.by_command(transaction, Kind.TOKEN_REVOKED, tokens.revoke(transaction, which))
    click.echo("The token is revoked.")
