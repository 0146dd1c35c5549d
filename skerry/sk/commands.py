"""The group of commands, whose modules are loaded when they are run."""

import sys
from importlib import import_module

import click

from skerry.sk.failures import REFUSED, Failure
from skerry.sk.options import common_options

_COMMANDS = {
    "login": ("signing_in:login", "Sign in to a server, in the browser or with a token."),
    "logout": ("signing_in:logout", "Forget the token of a server."),
    "servers": ("signing_in:servers_", "List the servers, or choose the one that is used."),
    "list": ("reading:list_tickets", "List the tickets that a query finds."),
    "show": ("reading:show", "Show a ticket with its conversation."),
    "open": ("reading:open_page", "Open a ticket or the project in the browser."),
    "new": ("writing:new", "Open a ticket."),
    "comment": ("writing:comment", "Comment on a ticket."),
    "edit": ("writing:edit", "Change a ticket, or edit its text."),
    "attach": ("attachments:attach", "Attach files to a ticket, fetch its files, or list them."),
    "bulk": ("writing:bulk", "Change all tickets that a query finds."),
    "bins": ("listing:bins", "List the saved queries."),
    "projects": ("listing:projects", "List the projects."),
    "milestones": ("listing:milestones", "List the milestones."),
    "events": ("listing:events", "List what happened, or follow it."),
    "mcp": ("agents:mcp", "Serve tools for agents over standard input and output."),
    "api": ("requests:api", "Send a request, and print the answer."),
    "completion": ("completion:completion", "Print the completion for a shell."),
}


class _Commands(click.Group):
    """A group that knows what its commands do without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, the most common first."""
        return [*super().list_commands(ctx), *_COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loaded now."""
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, name = _COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(f"skerry.sk.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the names with what they do."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])


@click.group(name="sk", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skerry")
@common_options
def commands() -> None:
    """Work with a tracker from a terminal.

    The server is the one that you signed in to, or SKERRY_URL with SKERRY_TOKEN; the project is --project,
    SKERRY_PROJECT, or the only one.

    Exit codes: 1 refused, 2 usage, 3 unreachable, 4 not signed in.
    """


def main() -> None:
    """Run a command; after a failure, print one sentence and exit with its code."""
    try:
        commands(prog_name="sk", standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(error.exit_code)
    except Failure as error:
        _fail(error.format_message(), error.code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except click.Abort:
        click.echo(err=True)  # ends the line of the unanswered question
        _fail("Stopped", REFUSED)
    except UnicodeError as error:
        _fail(f"The text is not in UTF-8: {error}", REFUSED)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), REFUSED)


def _fail(sentence: str, code: int) -> None:
    click.echo(f"sk: {sentence}", err=True)
    sys.exit(code)
