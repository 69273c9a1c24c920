"""Tables on disk: Delta, changes between versions, publication, sealed files.

It uses home.
"""
