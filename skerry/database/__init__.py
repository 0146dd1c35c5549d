"""The databases: connections, transactions, statements, locks and migrations."""
