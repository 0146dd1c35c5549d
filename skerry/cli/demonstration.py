"""Fill an account with the demonstration."""

import click

from skerry.cli.options import account_option, chosen, prepared
from skerry.transfer import demonstration

_DONE = """\
Made the project {filled.project} with {filled.tickets} tickets. Its people can sign in with one password:

  logins    {logins}
  password  {filled.password}

Start the server with 'skerry serve', and --data if you used it here, unless it runs. The project is public:
everybody who reaches the server can read it.
"""


@click.command()
@account_option
def demo(account_name: str | None) -> None:
    """Fill an account with a small example project.

    It has three people, 40 tickets with conversations, milestones, messages, commits and a board. On a new
    server, the first of the people owns the account.
    """
    with prepared() as database:
        with database.read() as transaction:
            account = chosen(transaction, account_name)
        filled = demonstration.fill(database, account.id)
    click.echo(_DONE.format(filled=filled, logins=", ".join(filled.logins)), nl=False)
