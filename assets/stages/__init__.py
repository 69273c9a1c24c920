"""One asset per stage over whole tables.

Each reads, calls its function, writes and reports: engine says how.
"""
