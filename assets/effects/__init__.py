"""What reaches the world outside: searches and notifications, by intent and receipt.

They run in jobs of their own, never in a build.
"""
