"""What is sent elsewhere: hooks and feeds, and what waits."""
