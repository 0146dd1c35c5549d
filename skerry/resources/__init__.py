"""The declarations: one record class per resource."""
