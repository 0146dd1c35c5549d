"""Events as rows."""
