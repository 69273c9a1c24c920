"""What is installed into agents: the hook client, and how each agent is told of it.

It knows nothing of Cairn's other packages; the hook client uses the standard library alone.
"""
