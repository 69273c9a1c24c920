"""The folder of a state: its files and locks, settings, sources, inbox, keys, logs.

The ground: it uses no other room of resources.
"""
