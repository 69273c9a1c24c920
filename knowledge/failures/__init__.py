"""What failed, by its key line and signature, and what really ended it.

It uses dialogue, engine, nlp and schema.
"""
