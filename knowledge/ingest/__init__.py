"""Sources to rows: decoding, adapters, records, events, sessions, and which times can be.

It uses schema, redaction, nlp and llm (for lines that give orders).
"""
