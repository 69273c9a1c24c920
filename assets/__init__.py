"""The steps of a run, a module for what differs, named as they stand in the data's way.

What decides whether they have work is in `pending`, by the same names.
"""
