"""Changes of tickets: values, commands, commits, moves, and the rows that they write."""
