"""All ways to change tickets."""
