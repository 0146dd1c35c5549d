"""How Alembic runs the migrations: on the connection it is handed, in the transaction already begun."""

from alembic import context

from skerry.store.engine.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
