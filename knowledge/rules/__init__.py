"""Rules: what is found in a log by its plain form, each with a fixed confidence."""
