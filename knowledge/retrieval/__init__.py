"""What is searched for: a point of the index for each fact, episode and learning.

It uses consolidation and what is below it.
"""
