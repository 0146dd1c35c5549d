"""The command that prints the completion for a shell."""

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the completion for a SHELL: eval "$(sk completion bash)"; fish: sk completion fish | source."""
    kind = get_completion_class(shell)
    if kind is not None:
        root = click.get_current_context().find_root().command
        click.echo(kind(root, {}, "sk", "_SK_COMPLETE").source())
