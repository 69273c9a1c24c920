"""What an agent is told before it starts: lines by kind, and the brief within its budget.

It uses the other modules of practices, failures and schema.
"""
