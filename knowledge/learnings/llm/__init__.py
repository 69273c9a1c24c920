"""Lessons that a model writes: which sessions are ready, what is shown, who vouches.

It uses the rules beside it and what learnings use.
"""
