"""The lookup file of a namespace, which the hook client reads.

It uses home.
"""
