"""Commands by which a person says something that lasts."""
