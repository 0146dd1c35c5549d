"""Issues of forges, which host them beside repositories."""
