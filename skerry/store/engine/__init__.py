"""The engine below every statement: connections, transactions, tables, migrations."""
