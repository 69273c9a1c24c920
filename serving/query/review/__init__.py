"""What waits for a person, kind by kind: rows for every surface.

It uses read.
"""
