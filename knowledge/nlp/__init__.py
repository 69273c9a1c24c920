"""Words, names and places in a text; below, dates, shell scripts and what statements say.

It knows no tables of logs and no stages. It uses schema.
"""
