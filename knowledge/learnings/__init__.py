"""Learnings by rule: value, spans, categories, drafts, scores, duplicates; each by itself."""
