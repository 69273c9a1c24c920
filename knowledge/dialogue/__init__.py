"""What goes on in a conversation: turns, tool calls, errors, whose word a statement is.

It uses schema and nlp.
"""
