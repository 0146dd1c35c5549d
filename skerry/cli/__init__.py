"""The command line."""

import os
import sys
from importlib import import_module

import click

from skerry.cli.options import COMMON_OPTIONS, Group
from skerry.errors import SkerryError, Unavailable, in_words
from skerry.store.schema import SchemaError

_MAIL = "mail"

_COMMANDS = {
    "serve": "service:serve",
    "init": "service:init",
    "demo": "demonstration:demo",
    "user": "people:user",
    "member": "people:member",
    "service-user": "service_users:service_user",
    "token": "tokens:token",
    "account": "accounts:account",
    "migrate": "service:migrate",
    "reindex": "service:reindex",
    "rerender": "service:rerender",
    "secrets": "secrets:secrets",
    "sending": "sending:sending",
    _MAIL: "mail:mail",
    "check": "checking:check",
    "audit": "audit:audit",
    "backup": "backup:backup",
    "backups": "backup:backups",
    "restore": "backup:restore",
    "export": "exports:export",
    "import": "imports:import_",
}
"""The module and the function of each command."""


class Commands(Group):
    """All commands, each loaded when it is used, because all of them take a second of CPU."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands; called by click for help and completion."""
        return sorted({*super().list_commands(ctx), *_COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name; called by click."""
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            module, function = _COMMANDS[cmd_name].split(":")
            self.add_command(getattr(import_module(f"skerry.cli.{module}"), function))
        return super().get_command(ctx, cmd_name)


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
    command = next((word for word in sys.argv[1:] if word in _COMMANDS), "")
    return os.EX_TEMPFAIL if command == _MAIL else 1


@click.group(name="skerry", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skerry")
def commands() -> None:
    """Skerry, a self-hosted issue tracker."""


commands.params.extend(COMMON_OPTIONS)
