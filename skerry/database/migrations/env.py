"""Runs the migrations for Alembic, on the given connection and in its open transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
