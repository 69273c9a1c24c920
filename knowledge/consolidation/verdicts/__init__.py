"""What people and models say of facts and entities, and what follows: decisions, verdicts.

It uses the pairs of consolidation, llm, engine and schema.
"""
