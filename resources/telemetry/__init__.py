"""What a process says of its work: lines in a log, spans and metrics. Ids and counts, never a text.

It uses home.
"""
