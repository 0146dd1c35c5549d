"""What the product does: rules, permissions, events."""
