"""Prompts that write lessons: which categories a session holds, and a draft of each.

They use the parts of prompts that stand one room above.
"""
