"""Candidates of facts and entities: by rules, by a model, from texts, themes and attitudes.

It uses dialogue and what is below it.
"""
