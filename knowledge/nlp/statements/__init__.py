"""Do two statements say the same, deny each other, or fill one slot? Clause by clause.

It uses schema and the words of nlp.
"""
