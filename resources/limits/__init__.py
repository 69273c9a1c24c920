"""What a namespace may take of a day, and what it took.

May use home, llm and warehouse, by the state of context; and effects.
"""
