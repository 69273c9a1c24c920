"""Vectors: the model of an embedder, similar pairs, and the tree of clusters.

Numbers alone: it uses schema.
"""
