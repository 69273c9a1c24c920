"""What language models are asked, how answers are read, and what keeps orders out of both.

It uses schema and nlp; it calls nobody, a client is handed to it.
"""
