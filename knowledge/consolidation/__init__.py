"""Facts after evidence: pairs, verdicts, confidence, merges, valid times, themes, memory.

It uses resolution and what is below it.
"""
