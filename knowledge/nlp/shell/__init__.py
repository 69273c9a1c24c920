"""Shell scripts as people and agents write them: parsed, and which programs do what.

It uses schema and the words of nlp.
"""
