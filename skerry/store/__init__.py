"""SQL and file storage. The only layer that uses SQLAlchemy."""
