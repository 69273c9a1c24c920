"""What the next run has to do: pending days, what is stale, what is in flight.

It reads work and notes of runs; it starts none.
"""
