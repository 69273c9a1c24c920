"""Forms of sentences that rules look for: decisions, directives, statements of people.

They are patterns over a sentence in lower case, and use nlp alone.
"""
