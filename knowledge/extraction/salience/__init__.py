"""Salience: how likely what a person typed, to an agent or in a chat, is worth remembering.

It uses knowledge.nlp; rules use it, and `python -m benchmarks salience` fits its weights.
"""
