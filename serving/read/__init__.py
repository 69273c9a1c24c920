"""One namespace as it was published: its reader, ids, pages, what is held in memory.

The ground of serving: it uses resources and knowledge.
"""
