"""Every way to change tickets."""
