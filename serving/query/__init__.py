"""Lists and explanations: what there is, where it comes from, what is around it.

It uses read.
"""
