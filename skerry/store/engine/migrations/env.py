"""Runs the migrations for Alembic, on the given connection and in its open transaction."""

from alembic import context

from skerry.store.engine.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
