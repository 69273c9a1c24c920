"""What is reached over the net beside models: search engines, notifications.

It uses home and the provider of llm.
"""
