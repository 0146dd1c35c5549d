"""The database engine: connections, transactions, tables and migrations."""
