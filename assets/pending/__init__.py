"""What decides whether there is work: fingerprints in force, what is pending, what is unpublished.

The assets ask it before they work, and `cairn status` without them: it knows no Dagster.
"""
