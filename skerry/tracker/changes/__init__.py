"""Every way in which tickets change."""
