"""Salience: how likely a message that a person typed to an agent holds what is worth remembering.

It uses knowledge.nlp; rules use it, and `python -m benchmarks salience` fits its weights.
"""
