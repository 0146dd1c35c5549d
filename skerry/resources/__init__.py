"""The declarations: one record class for each resource."""
