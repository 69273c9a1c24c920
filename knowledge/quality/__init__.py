"""Whether what was made may be published, and measures of it.

It uses learnings, consolidation and what is below them.
"""
