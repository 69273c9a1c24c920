"""How fresh, how much, how good: overview, measures, what waits for the next run.

It uses retrieval, query and read.
"""
