"""What people say to Cairn: decisions, documents, forgetting, research, reactions.

It notes events in the inbox; it uses what reads, and layers of knowledge.
"""
