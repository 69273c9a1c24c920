"""Commands of `cairn`, one module each, by what they are for: ask, say, run, serve.

A module defines `command`; the names stand in serving/cli/main.py.
"""
