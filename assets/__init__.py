"""The stages as Dagster assets, one module each, named as they stand in the data's way.

What decides whether they have work is in `pending`, by the same names.
"""
