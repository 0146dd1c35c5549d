"""The command line."""

import os
import sys

import click

from skerry.cli import (
    accounts,
    audit,
    backup,
    checking,
    demonstration,
    exports,
    factors,
    imports,
    mail,
    people,
    secrets,
    sending,
    service,
    service_users,
    tokens,
)
from skerry.cli.options import COMMON_OPTIONS, Group
from skerry.errors import SkerryError, Unavailable, in_words
from skerry.store.schema import SchemaError


def main() -> None:
    """Run a command; after any failure, print an error and exit with code 1.

    For ``skerry mail`` the code is 75, so that the mail server keeps the mail.
    """
    try:
        commands(prog_name="skerry", standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(_failure())
    except click.ClickException as error:
        _fail(error.format_message())
    except click.Abort:
        click.echo(err=True)  # ends the line of the unanswered prompt
        _fail("Stopped")
    except Unavailable as error:
        what = "The database does not respond" if str(error) == error.default else error
        _fail(f"{what}: {error.reason}")
    except OSError as error:
        _discard_output()
        _fail(in_words(error))
    except (SkerryError, ValueError, SchemaError) as error:
        _fail(str(error))


def _discard_output() -> None:
    """Discard what could not be written, which would fail once more at the exit."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - it stays open


def _fail(sentence: str) -> None:
    click.echo(f"skerry: {sentence}", err=True)
    sys.exit(_failure())


def _failure() -> int:
    """Return the exit code of a command that failed."""
    command = next((word for word in sys.argv[1:] if word in commands.commands), "")
    return os.EX_TEMPFAIL if command == mail.mail.name else 1


@click.group(name="skerry", cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skerry")
def commands() -> None:
    """Skerry, a self-hosted issue tracker."""


commands.params.extend(COMMON_OPTIONS)
people.user.add_command(factors.reset)

for _command in (
    service.serve,
    service.init,
    demonstration.demo,
    people.user,
    people.member,
    service_users.service_user,
    tokens.token,
    accounts.account,
    service.migrate,
    service.reindex,
    service.rerender,
    secrets.secrets,
    sending.sending,
    mail.mail,
    checking.check,
    audit.audit,
    backup.backup,
    backup.backups,
    backup.restore,
    exports.export,
    imports.import_,
):
    commands.add_command(_command)
