"""What lists and forms choose from."""
