"""Commands that write files for others, and take in those of others."""
