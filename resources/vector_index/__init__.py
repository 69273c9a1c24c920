"""The index of a namespace, in the process or on a server, and the embedder.

It uses home.
"""
