"""Lessons by recurrence: what several conversations show together, read from whole tables.

It uses what learnings use.
"""
