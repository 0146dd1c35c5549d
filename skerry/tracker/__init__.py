"""What the product does: rules and permissions."""
