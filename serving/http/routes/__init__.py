"""Routes of the HTTP API, by what they are about.

They use query, retrieval, status and write; no other surface.
"""
