"""What a line of the inbox says: decisions, effects, searches, notifications, documents.

It uses schema and the shape of an adapter.
"""
