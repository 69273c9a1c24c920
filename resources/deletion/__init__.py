"""Deletion in a home: its tombstones, how they are applied, where something is named still.

It uses everything but effects, repair and the retraction guard.
"""
