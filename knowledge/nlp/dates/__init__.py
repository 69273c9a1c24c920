"""Times of logs and times that people name: stamps, expressions, intervals.

It uses schema and the words of nlp.
"""
