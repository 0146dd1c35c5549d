"""SQL and files. The only layer that knows SQLAlchemy."""
