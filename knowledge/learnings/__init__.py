"""Learnings by rule: value, spans, categories, drafts, scores, duplicates; each a step of its own."""
