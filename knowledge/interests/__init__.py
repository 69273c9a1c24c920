"""What people engage with, like and dislike, and how much by now.

It uses consolidation and what is below it.
"""
