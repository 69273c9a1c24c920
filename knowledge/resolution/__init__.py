"""From candidates to entities and facts: gates, names, one of many, united statements.

It uses extraction and what is below it.
"""
