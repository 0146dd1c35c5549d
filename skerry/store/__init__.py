"""SQL and files: the only memory. The only floor that knows SQLAlchemy."""
