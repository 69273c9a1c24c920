"""Lessons by rule: what is found (chains, reports, statements) and drafted of it.

It uses what learnings use.
"""
