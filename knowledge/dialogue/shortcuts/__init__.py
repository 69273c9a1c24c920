"""Shortcuts that are no fix: checks that commands, files, settings and tests are made to skip.

It uses dialogue, nlp and schema.
"""
