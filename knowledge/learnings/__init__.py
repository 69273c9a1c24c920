"""Lessons: what a session was worth, what is found and drafted, scored and united.

It uses consolidation and what is below it; each module does one thing by itself.
"""
