"""A stage, the work that is pending, and what changed since: no knowledge of any stage.

It uses schema, llm and vectors.
"""
