"""What signing in and being known rests on."""
