"""Search and context: both arms, one score, what goes into a prompt.

It uses query and read.
"""
