"""Types of entities, and what they have in common."""

OF_PROSE = ("topic", "person", "system", "package", "host", "project")
"""Types of names that prose is about; tools and paths are known by what is done with them."""
